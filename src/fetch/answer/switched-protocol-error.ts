/** The host responded with 101, which hayrake never requests: the following bytes are not HTTP. */
export class SwitchedProtocolError extends Error {
  override readonly name = 'SwitchedProtocolError';
  readonly code = 'SWITCHED_PROTOCOL';

  constructor() {
    super('The host switched to a protocol that was not requested.');
  }
}
