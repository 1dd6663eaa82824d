// A page in chunks, as programs read it.
import { query, readLines } from '../api.ts';
import { count, plural } from '../format.ts';
import { ErrorNote, Skeleton } from '../parts/basics.tsx';
import { useLoaded } from '../parts/hooks.ts';

interface Chunk {
  readonly chunk: { readonly headings: readonly string[]; readonly end: number };
  readonly text: string;
}

/** `length`: characters of the whole text. */
export function Chunks({ jobId, page, length }: { jobId: string; page: number; length: number }) {
  const { value, error, reload } = useLoaded(`${jobId} ${page}`, (signal) => chunksOf(jobId, page, length, signal));
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={6} />;
  return (
    <div class="raw chunks" tabIndex={0} role="region" aria-label="Chunks of the page">
      <p class="muted">
        {plural(value.length, 'chunk')}, split at headings: <code>chunk=heading</code> of <code>/data</code>
      </p>
      {value.map(({ chunk: { headings }, text }, index) => (
        <section key={index}>
          <p class="muted">
            {count(index + 1)} {headings.join(' › ')}
          </p>
          <pre>{text}</pre>
        </section>
      ))}
    </div>
  );
}

/** The stream goes on with later pages, and of a running job waits for them: it is left with the end of this page. */
async function chunksOf(jobId: string, page: number, length: number, signal: AbortSignal): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  if (length === 0) return chunks;
  const path = `/crawler/jobs/${jobId}/data${query({ after: page - 1, chunk: 'heading' })}`;
  for await (const line of readLines<Chunk & { meta?: { page: number } }>(path, signal)) {
    if (line.meta?.page !== page) break;
    chunks.push(line);
    if (line.chunk.end >= length) break;
  }
  return chunks;
}
