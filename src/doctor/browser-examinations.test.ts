import { describe, expect, it, test } from 'vitest';
import type { BrowserProblem, Rendered, Renderer } from '../core/ports/renderer.ts';
import { browserFindings, examineRendering } from './browser-examinations.ts';

const path = '/usr/bin/chromium-headless-shell';
const known = { path, userNamespaces: false, isSandboxed: false };
const problem = (code: BrowserProblem['code']): BrowserProblem => ({
  code,
  message: `It\n${code}.`,
  remedy: 'Mend it.',
});
const fenced = { ...known, version: '156.0', bwrapPath: '/usr/bin/bwrap', userNamespaces: true, isSandboxed: true };
const whole = { ...fenced, memoryHold: 'cgroup v2' } as const;

describe('what a probe of the browser says', () => {
  it.each([
    [
      'all is there',
      'auto',
      'require',
      whole,
      ['ok browser', 'ok bwrap', 'ok user namespaces', 'ok sandbox', 'ok browser memory'],
    ],
    [
      'no cgroup can be made',
      'auto',
      'require',
      { ...whole, memoryHold: 'process limits' },
      ['ok browser', 'ok bwrap', 'ok user namespaces', 'ok sandbox', 'warn browser memory'],
    ],
    ['it is off', 'off', 'require', { ...known, problem: problem('browser_off') }, ['ok browser']],
    [
      'there is none',
      'auto',
      'require',
      { userNamespaces: false, isSandboxed: false, problem: problem('browser_not_found') },
      ['warn browser'],
    ],
    [
      'the named one is none',
      '/x',
      'require',
      { userNamespaces: false, isSandboxed: false, problem: problem('browser_not_found') },
      ['fail browser'],
    ],
    [
      'bwrap is missing',
      'auto',
      'require',
      { ...known, problem: problem('bwrap_not_found') },
      ['ok browser', 'fail bwrap'],
    ],
    [
      'namespaces are denied',
      'auto',
      'require',
      { ...known, bwrapPath: 'bwrap', problem: problem('user_namespaces_denied') },
      ['ok browser', 'ok bwrap', 'fail user namespaces'],
    ],
    [
      'it does not start',
      'auto',
      'require',
      { ...fenced, isSandboxed: false, problem: problem('browser_start_failed') },
      ['ok browser', 'ok bwrap', 'ok user namespaces', 'fail browser start'],
    ],
    [
      'the sandbox is off',
      'auto',
      'off',
      { ...known, version: '156.0', memoryHold: 'cgroup v1' },
      ['ok browser', 'warn sandbox', 'ok browser memory'],
    ],
    [
      'it does not start without either',
      'auto',
      'off',
      { ...known, problem: problem('browser_start_failed') },
      ['ok browser', 'warn sandbox', 'fail browser start'],
    ],
  ] as const)('%s', (_, browser, sandbox, probe, expected) => {
    const findings = browserFindings({ browser, sandbox }, probe);
    expect(findings.map(({ state, name }) => `${state} ${name}`)).toEqual(expected);
    for (const { state, message, remedy } of findings) {
      expect(remedy === undefined).toBe(state === 'ok');
      expect(message).not.toContain('\n');
    }
  });
});

describe('a rendered page', () => {
  const rendererOf = (rendered: Rendered): Renderer => ({ render: async () => rendered, close: async () => {} });

  test('that did not come is a failure, and so is a canary that was reached', async () => {
    const renderer = rendererOf({ kind: 'failure', reason: 'render_crashed', message: 'The tab crashed.' });
    const findings = await examineRendering(renderer, { port: 9, connections: () => 2 });
    expect(findings.map(({ state, name }) => `${state} ${name}`)).toEqual(['fail rendering', 'fail canary']);
    expect(findings[0]?.message).toContain('The tab crashed.');
    expect(findings[1]?.message).toContain('2 times');
  });

  test('whose script did not run is one as well', async () => {
    const page = { html: '<body>', url: 'x', routes: [], requests: 0, waitMatched: true, tookMs: 1 };
    const [finding] = await examineRendering(rendererOf({ kind: 'page', ...page }), { port: 9, connections: () => 0 });
    expect(finding).toMatchObject({ state: 'fail', message: expect.stringContaining('did not run') as string });
  });
});
