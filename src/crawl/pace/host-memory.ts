// What one process notes about a host for the next holder, and how the note is read. An unreadable note is ignored: the
// next holder then starts as with an unknown host, with one request at a time until robots.txt is read.
import type { HostLease } from '../../core/ports/frontier.ts';
import type { CrawlError } from '../../core/request.ts';
import { errorReasons, type ErrorReason } from '../../core/reasons.ts';
import { type Allowance, recalledAllowance } from './adaptive-concurrency.ts';
import { type Circuit, closedCircuit } from './circuit-breaker.ts';
import { notedOf, nothingServed, type Served } from './refusals.ts';
import type { RobotsNote } from './robots-gate.ts';

/** Notes of another version are ignored. */
const version = 1;
/** The store keeps no longer text. */
const textLengthMax = 10_000;

/** Times are on this process's clock. */
export interface HostMemory {
  readonly circuit: Circuit;
  readonly served: Served;
  readonly allowance: Allowance;
  readonly robots: RobotsNote | undefined;
}

/** Writes times as distances from now. Missing times mean that it never happened. */
export function writeHostMemory({ circuit, served, allowance, robots }: HostMemory, now: number): string {
  const { failingSince, lastFailureAt, openUntil, answeredAt, ...rest } = circuit;
  const facts = {
    version,
    circuit: {
      ...rest,
      ...(failingSince !== undefined && { failingSince: now - failingSince }),
      ...(lastFailureAt > 0 && { lastFailureAt: now - lastFailureAt }),
      ...(openUntil > 0 && { openUntil: now - openUntil }),
      ...(Number.isFinite(answeredAt) && { answeredAt: now - answeredAt }),
    },
    served: notedOf(served),
    allowance,
  };
  const whole = JSON.stringify({
    ...facts,
    ...(robots && { robots: { ...robots, goodUntil: robots.goodUntil - now } }),
  });
  // The next holder can request robots.txt itself.
  return whole.length <= textLengthMax ? whole : JSON.stringify(facts);
}

/** `ageMs`: time since it was written. Undefined if the note is broken or of another version. */
export function readHostMemory(text: string, ageMs: number, now: number): HostMemory | undefined {
  const noted = parsed(text);
  if (!isRecord(noted) || noted['version'] !== version) return undefined;
  const at = now - ageMs;
  const circuit = circuitOf(noted['circuit'], at);
  if (!circuit) return undefined;
  const allowance = recalledAllowance(noted['allowance'], ageMs);
  return { circuit, served: servedOf(noted['served']), allowance, robots: robotsOf(noted['robots'], at) };
}

/** How far apart two notes may say that a robots.txt ends, or the host answered. */
const sameTimeMs = 60_000;

/**
 * True if a new note would tell the next holder nothing more about a host with a delay: it answers, and its delay and
 * its robots.txt are as noted. With a delay there is one request at a time, so the rest of the allowance does not matter.
 */
export function isNoted(memory: HostMemory, noted: NonNullable<HostLease['memory']>, now: number): boolean {
  const known = readHostMemory(noted.text, noted.ageMs, now);
  if (!known) return false;
  const [robots, knownRobots] = [memory.robots, known.robots];
  return (
    [memory.circuit, known.circuit].every(isClosed) &&
    // Not a number if it never answered, to either.
    !(Math.abs(memory.circuit.answeredAt - known.circuit.answeredAt) >= sameTimeMs) &&
    memory.allowance.delayMs === known.allowance.delayMs &&
    robots?.origin === knownRobots?.origin &&
    robots?.text === knownRobots?.text &&
    Math.abs((robots?.goodUntil ?? 0) - (knownRobots?.goodUntil ?? 0)) < sameTimeMs
  );
}

function isClosed({ failures, failingSince, timesOpened }: Circuit): boolean {
  return failures === 0 && failingSince === undefined && timesOpened === 0;
}

function circuitOf(noted: unknown, at: number): Circuit | undefined {
  if (!isRecord(noted)) return undefined;
  const { failures, timesOpened, firstPauseMs, isGone, isRefusing, hasFailedPages } = noted;
  const { failingSince, lastFailureAt, openUntil } = noted;
  const { answeredAt, hasFailedHere } = noted;
  if (!isCount(failures) || !isCount(timesOpened) || !isCount(firstPauseMs)) return undefined;
  const error = errorOf(noted['error']);
  const timeOf = (ago: unknown): number => (isFinite(ago) ? at - ago : 0);
  return {
    ...closedCircuit,
    failures,
    isGone: isGone === true,
    isRefusing: isRefusing === true,
    failingSince: isFinite(failingSince) ? at - failingSince : undefined,
    lastFailureAt: timeOf(lastFailureAt),
    timesOpened,
    hasFailedPages: hasFailedPages === true,
    firstPauseMs,
    openUntil: timeOf(openUntil),
    error,
    answeredAt: isFinite(answeredAt) ? at - answeredAt : Number.NEGATIVE_INFINITY,
    hasFailedHere: hasFailedHere === true,
  };
}

function servedOf(noted: unknown): Served {
  const families = Array.isArray(noted) ? noted.filter((family) => typeof family === 'string') : [];
  return { ...nothingServed, families };
}

function errorOf(noted: unknown): CrawlError | undefined {
  if (!isRecord(noted) || typeof noted['message'] !== 'string' || !isReason(noted['reason'])) return undefined;
  const { reason, message, statusCode } = noted;
  return { reason, message, ...(isFinite(statusCode) && { statusCode }) };
}

function robotsOf(noted: unknown, at: number): RobotsNote | undefined {
  if (!isRecord(noted)) return undefined;
  const { origin, text, goodUntil } = noted;
  if (typeof origin !== 'string' || typeof text !== 'string' || !isFinite(goodUntil)) return undefined;
  return { origin, text, goodUntil: at + goodUntil };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isReason(value: unknown): value is ErrorReason {
  return typeof value === 'string' && Object.hasOwn(errorReasons, value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return isFinite(value) && value >= 0;
}
