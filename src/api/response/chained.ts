/** Yields `first`, then `rest`; `first` was already taken from `rest`. */
export async function* chained<Slice>(
  first: IteratorResult<Slice>,
  rest: AsyncGenerator<Slice>,
): AsyncGenerator<Slice> {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    // A consumer that stops at the first slice has not started `rest`.
    await rest.return(undefined);
  }
}
