/** Code that reads bytes, such as that of a kind of files, cannot be loaded now: files are short, or the package is being replaced. No input is to blame. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}

/** Loads code with its first use. Throws {@link LoadError} with the cause; a later call tries again. */
export async function loadLate<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LoadError(`Code of the program cannot be loaded: ${why}`, { cause: error });
  }
}
