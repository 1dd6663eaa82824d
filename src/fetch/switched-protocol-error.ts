/** The host answered 101, which no request of ours asks for: what follows is not HTTP. */
export class SwitchedProtocolError extends Error {
  override readonly name = 'SwitchedProtocolError';
  readonly code = 'SWITCHED_PROTOCOL';

  constructor() {
    super('The host switched to a protocol that was not asked for.');
  }
}
