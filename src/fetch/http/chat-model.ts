// The operator's model, through the Chat Completions API that Ollama, llama.cpp, vLLM and clouds share. The key is in the
// header alone, and no message contains it.
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicNow } from '../../core/process/monotonic-time.ts';
import type { Model, ModelQuestion, ModelReply } from '../../core/ports/model.ts';
import { postToService, type ServiceResponse } from './post-to-service.ts';

export interface ChatModelOptions {
  /** The endpoint, such as `http://127.0.0.1:11434/v1`. */
  readonly url: URL;
  /** Empty: the server has one. */
  readonly model: string;
  readonly key: string;
  /** Wall clock of one call. */
  readonly deadlineMs: number;
  /** The first pause before a call is repeated. */
  readonly retryMs: number;
  /** How long a model that failed repeatedly is left alone. */
  readonly pauseMs: number;
}

/** How the form of the response is requested. Servers refuse what they do not know. */
const forms = ['json_schema', 'json_object', 'prompt'] as const;
type Form = (typeof forms)[number];

const responseBytesMax = 2 ** 20;
const triesMax = 3;
/** Questions in a row without a response before the model is left alone. */
const failuresMax = 3;
/** The longest pause that a server can ask for. */
const retryAfterMsMax = 60_000;
/** Questions after which a better form is tried again. */
const betterAfter = 10;
/** Statuses of servers that do not know a form, or a parameter. */
const unknown: ReadonlySet<number> = new Set([400, 404, 415, 422, 501]);

export class ChatModel implements Model {
  readonly #options: ChatModelOptions;
  readonly #target: URL;
  /** The form that the server accepted last. */
  #form: Form = forms[0];
  /** Some models allow no choice of it. */
  #hasTemperature = true;
  #questions = 0;
  #failures = 0;
  #pausedUntil = 0;

  constructor(options: ChatModelOptions) {
    this.#options = options;
    const base = options.url.href.replace(/\/+$/, '');
    this.#target = new URL(base.endsWith('/chat/completions') ? base : `${base}/chat/completions`);
  }

  async ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelReply> {
    if (monotonicNow() < this.#pausedUntil) return { kind: 'unavailable', why: 'it failed repeatedly' };
    const reply = await this.#tries(question, signal);
    if (reply.kind !== 'unavailable') this.#failures = 0;
    else if (!signal.aborted && ++this.#failures >= failuresMax)
      this.#pausedUntil = monotonicNow() + this.#options.pauseMs;
    return reply;
  }

  async #tries(question: ModelQuestion, signal: AbortSignal): Promise<ModelReply> {
    let why = 'it did not respond';
    let form: Form = ++this.#questions % betterAfter === 0 ? forms[0] : this.#form;
    for (let attempt = 1; attempt <= triesMax && !signal.aborted;) {
      if (!(await question.mayCall())) return { kind: 'not_allowed' };
      const hasTemperature = this.#hasTemperature;
      const response = await this.#call(question, form, signal);
      let pauseMs = this.#options.retryMs * 2 ** attempt;
      if (typeof response === 'string') why = response;
      else if (response.status === 200) {
        this.#form = form;
        return replyOf(response.text);
      } else {
        why = this.#refusalOf(response);
        if (unknown.has(response.status)) {
          const next: Form | undefined = forms[forms.indexOf(form) + 1];
          // Servers that name what they refuse save calls.
          const isTemperature: boolean = hasTemperature && (!next || response.text.includes('temperature'));
          if (isTemperature) this.#hasTemperature = false;
          if (isTemperature || next) {
            form = isTemperature || !next ? forms[0] : next;
            continue;
          }
        }
        if (response.status < 500 && response.status !== 408 && response.status !== 429) break;
        pauseMs = Math.max(pauseMs, Math.min(Number(response.retryAfter) * 1_000 || 0, retryAfterMsMax));
      }
      if (attempt < triesMax) await sleep(pauseMs, undefined, { signal }).catch(() => {});
      attempt++;
    }
    return { kind: 'unavailable', why };
  }

  /** The status and the beginning of the response, without the key and the endpoint. */
  #refusalOf({ status, text }: ServiceResponse): string {
    const { key, url } = this.#options;
    const masked = [key, url.href, url.host].reduce(
      (all, one) => (one === '' ? all : all.replaceAll(one, '[removed]')),
      text,
    );
    return `it responded with ${status}: ${masked.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)}`;
  }

  /** Returns why there is no response. */
  async #call(question: ModelQuestion, form: Form, signal: AbortSignal): Promise<ServiceResponse | string> {
    const { key, deadlineMs } = this.#options;
    const deadline = AbortSignal.timeout(deadlineMs);
    try {
      return await postToService(this.#target, {
        headers: { accept: 'application/json', ...(key !== '' && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(this.#bodyOf(question, form)),
        signal: AbortSignal.any([signal, deadline]),
        bytesMax: responseBytesMax,
      });
    } catch (error) {
      if (deadline.aborted) return `it did not respond within ${deadlineMs / 1_000} s`;
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
      return code === undefined ? 'its response could not be read' : `no connection (${code})`;
    }
  }

  #bodyOf({ task, page, schema }: ModelQuestion, form: Form): object {
    const shape = form === 'json_schema' ? '' : `\nThe JSON Schema of the object:\n${JSON.stringify(schema)}`;
    return {
      ...(this.#options.model !== '' && { model: this.#options.model }),
      ...(this.#hasTemperature && { temperature: 0 }),
      stream: false,
      messages: [
        { role: 'system', content: `${task}${shape}` },
        { role: 'user', content: page },
      ],
      ...(form === 'json_schema' && {
        response_format: { type: form, json_schema: { name: 'record', strict: true, schema } },
      }),
      ...(form === 'json_object' && { response_format: { type: form } }),
    };
  }
}

function replyOf(text: string): ModelReply {
  const content = contentOf(text);
  if (content === undefined) return { kind: 'bad_answer', why: 'there is no message in the response' };
  // Models that reason aloud do so first, and others put the object into a fence or between sentences.
  const said = content.slice(content.lastIndexOf('</think>') + 1);
  const start = said.indexOf('{');
  for (let end = said.lastIndexOf('}'), tries = 0; end > start && tries < endsMax; tries++) {
    try {
      return { kind: 'answer', value: JSON.parse(said.slice(start, end + 1)) as unknown };
    } catch {
      end = said.lastIndexOf('}', end - 1);
    }
  }
  return { kind: 'bad_answer', why: 'the message is not JSON' };
}

/** Braces after the object that may be text. */
const endsMax = 50;

function contentOf(text: string): string | undefined {
  try {
    const body = JSON.parse(text) as {
      readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
    } | null;
    const content = body?.choices?.[0]?.message?.content;
    return typeof content === 'string' ? content : undefined;
  } catch {
    return undefined;
  }
}
