import { describe, expect, it, test } from 'vitest';
import type { BrowserProblem, Rendered, Renderer } from '../core/ports/renderer.ts';
import { browserDiagnoses, examineRendering } from './browser-examinations.ts';

const path = '/usr/bin/chromium-headless-shell';
const known = { path, userNamespaces: false, isSandboxed: false };
const problem = (code: BrowserProblem['code']): BrowserProblem => ({
  code,
  message: `It\n${code}.`,
  remedy: 'Mend it.',
});
const fenced = { ...known, version: '156.0', bwrapPath: '/usr/bin/bwrap', userNamespaces: true, isSandboxed: true };
const whole = { ...fenced, memoryHold: 'cgroup v2' } as const;

describe('browserDiagnoses', () => {
  it.each([
    [
      'warns when no cgroup can be made',
      'auto',
      'require',
      { ...whole, memoryHold: 'process limits' },
      ['ok browser', 'ok bwrap', 'ok user namespaces', 'ok sandbox', 'warn browser memory'],
    ],
    [
      'passes all checks when browser and sandbox work',
      'auto',
      'require',
      whole,
      ['ok browser', 'ok bwrap', 'ok user namespaces', 'ok sandbox', 'ok browser memory'],
    ],
    [
      'passes one check when the browser is off',
      'off',
      'require',
      { ...known, problem: problem('browser_off') },
      ['ok browser'],
    ],
    [
      'warns when no browser is found',
      'auto',
      'require',
      { userNamespaces: false, isSandboxed: false, problem: problem('browser_not_found') },
      ['warn browser'],
    ],
    [
      'fails when the named browser is not found',
      '/x',
      'require',
      { userNamespaces: false, isSandboxed: false, problem: problem('browser_not_found') },
      ['fail browser'],
    ],
    [
      'fails when bwrap is missing',
      'auto',
      'require',
      { ...known, problem: problem('bwrap_not_found') },
      ['ok browser', 'fail bwrap'],
    ],
    [
      'fails when user namespaces are denied',
      'auto',
      'require',
      { ...known, bwrapPath: 'bwrap', problem: problem('user_namespaces_denied') },
      ['ok browser', 'ok bwrap', 'fail user namespaces'],
    ],
    [
      'fails when the browser does not start',
      'auto',
      'require',
      { ...fenced, isSandboxed: false, problem: problem('browser_start_failed') },
      ['ok browser', 'ok bwrap', 'ok user namespaces', 'fail browser start'],
    ],
    [
      'warns when the sandbox is off',
      'auto',
      'off',
      { ...known, version: '156.0', memoryHold: 'cgroup v1' },
      ['ok browser', 'warn sandbox', 'ok browser memory'],
    ],
    [
      'warns and fails when the sandbox is off and the browser does not start',
      'auto',
      'off',
      { ...known, problem: problem('browser_start_failed') },
      ['ok browser', 'warn sandbox', 'fail browser start'],
    ],
  ] as const)('browserDiagnoses: %s', (_, browser, sandbox, probe, expected) => {
    const diagnoses = browserDiagnoses({ browser, sandbox }, probe);
    expect(diagnoses.map(({ state, name }) => `${state} ${name}`)).toEqual(expected);
    for (const { state, message, remedy } of diagnoses) {
      expect(remedy === undefined).toBe(state === 'ok');
      expect(message).not.toContain('\n');
    }
  });
});

describe('examineRendering', () => {
  const rendererOf = (rendered: Rendered): Renderer => ({ render: async () => rendered, close: async () => {} });

  test('examineRendering: fails when the page does not render, and when the canary is reached', async () => {
    const renderer = rendererOf({ kind: 'failure', reason: 'render_crashed', message: 'The tab crashed.' });
    const diagnoses = await examineRendering(renderer, { port: 9, connections: () => 2 });
    expect(diagnoses.map(({ state, name }) => `${state} ${name}`)).toEqual(['fail rendering', 'fail canary']);
    expect(diagnoses[0]?.message).toContain('The tab crashed.');
    expect(diagnoses[1]?.message).toContain('2 times');
  });

  test('examineRendering: fails when the script of the page does not run', async () => {
    const page = { html: '<body>', url: 'x', routes: [], requests: 0, waitMatched: true, tookMs: 1 };
    const [diagnosis] = await examineRendering(rendererOf({ kind: 'page', ...page }), {
      port: 9,
      connections: () => 0,
    });
    expect(diagnosis).toMatchObject({ state: 'fail', message: expect.stringContaining('did not run') as string });
  });
});
