/**
 * A connection that we refused. One class and one message for every destination: the text must not distinguish an open
 * port from a closed one, nor internal addresses from each other.
 */
export class DestinationNotAllowedError extends Error {
  override readonly name = 'DestinationNotAllowedError';
  readonly code = 'DESTINATION_NOT_ALLOWED';

  constructor() {
    super(destinationNotAllowed);
  }
}

export const destinationNotAllowed = 'The URL leads to an address or port that this service may not reach.';
