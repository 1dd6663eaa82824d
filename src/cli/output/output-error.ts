import { ExitError, exitCodes } from '../../core/errors.ts';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left there',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than this system allows',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOENT: 'the directory does not exist',
  ENOTDIR: 'a part of this path is a file, not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'a file has the name of a directory',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'it is a symbolic link that leads to itself',
  EMFILE: 'this process has too many files open',
  EIO: 'the device reports an error',
  EPIPE: 'its reader has closed it',
};

/** The output of a command cannot be written. Exit code 1; 130 if its reader has closed it, as `head` does. */
export class OutputError extends ExitError {
  /** The program that reads the output ended, so that nothing is wrong. */
  readonly isReaderGone: boolean;

  constructor(target: string, cause: unknown) {
    const code = codeOf(cause) ?? '';
    const message = cause instanceof Error ? cause.message : String(cause);
    super(
      code === 'EPIPE' ? exitCodes.interrupted : exitCodes.failed,
      `${target} cannot be written: ${reasons[code] ?? message}.`,
    );
    this.isReaderGone = code === 'EPIPE';
  }
}

/** Writes to standard output and waits until the system has taken it. Rejects with an {@link OutputError}. */
export function writeOut(stdout: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => {
      if (error) reject(new OutputError('Standard output', error));
      else resolve();
    });
  });
}

/**
 * Ends the program when one of its streams cannot be written, unless the command has a listener of its own: then it
 * reports that by itself.
 */
export function endOnOutputErrors(streams: readonly NodeJS.WriteStream[]): void {
  for (const stream of streams) {
    stream.on('error', (cause) => {
      if (stream.listenerCount('error') > 1) return;
      const error = new OutputError('Standard output', cause);
      if (!error.isReaderGone && stream === process.stdout) process.stderr.write(`hayrake: ${error.message}\n`);
      process.exit(error.exitCode);
    });
  }
}

/** From now on, the caller of {@link writeOut} reports what cannot be written. */
export function reportsOutputErrors(stream: NodeJS.WriteStream): void {
  stream.on('error', () => {});
}

function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}
