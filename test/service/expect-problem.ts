import { expect } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import type { RawAnswer } from './start-service.ts';

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
  readonly message: string;
}

/** An answer that is an error as the contract says: RFC 9457, with every field, and `message` equal to `detail`. */
export function expectProblem(answer: RawAnswer, status: number, code?: ErrorCode): Problem {
  const text = answer.body.toString();
  expect.soft(answer.status, text).toBe(status);
  expect.soft(answer.headers['content-type'], text).toBe('application/problem+json; charset=utf-8');
  const problem = JSON.parse(text) as Problem;
  expect.soft(problem).toMatchObject({
    type: `urn:hayrake:error:${code ?? problem.code}`,
    title: expect.stringMatching(/^[A-Z].+\.$/),
    status,
    detail: expect.stringMatching(/^[A-Z`].+/),
    instance: expect.any(String),
    code: code ?? expect.stringMatching(/^[a-z_]+$/),
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    message: problem.detail,
  });
  expect.soft(answer.headers['x-request-id']).toBe(problem.requestId);
  for (const error of problem.errors ?? []) {
    expect.soft(error).toEqual({ field: expect.stringMatching(/./), message: expect.stringMatching(/./) });
  }
  return problem;
}
