/**
 * A connection that was refused by us. One class and one message whatever is behind the URL: the text must not tell an
 * open port from a closed one, nor one inner address from another.
 */
export class DestinationNotAllowedError extends Error {
  override readonly name = 'DestinationNotAllowedError';
  readonly code = 'DESTINATION_NOT_ALLOWED';

  constructor() {
    super(destinationNotAllowed);
  }
}

export const destinationNotAllowed = 'The URL leads to an address or port that this service may not reach.';
