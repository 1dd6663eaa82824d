// The URLs of a site, as a map found them.
import { useState } from 'preact/hooks';
import type { Mapped } from '../api-types.ts';
import { count, plural, shortUrl } from '../format.ts';
import { CopyButton } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { SearchInput } from '../parts/controls.tsx';

const shownMax = 500;
const truncations = {
  limit: 'There are more: raise the number of URLs.',
  timeout: 'The time was up, so URLs can be missing.',
  unread: 'Part of the site could not be read, so URLs can be missing.',
} as const;

export function MapResult({ map, read }: { map: Mapped; read: (urls: readonly string[]) => void }) {
  const [text, setText] = useState('');
  const { data, error, truncatedBy, findings } = map;
  const found = data.map(({ url }) => url).filter((url) => url.toLowerCase().includes(text.toLowerCase()));
  return (
    <section class="card" aria-label="URLs of the site">
      <h2>
        {plural(data.length, 'URL')} of {shortUrl(map.url)}
      </h2>
      {error && <p class="note note-bad">{error.detail}</p>}
      {truncatedBy !== undefined && <p class="note note-warn">{truncations[truncatedBy]}</p>}
      {findings.map(({ code, message }) => (
        <p key={code} class="muted">
          {message}
        </p>
      ))}
      {data.length > 0 && (
        <>
          <div class="filters">
            <SearchInput label="Filter by URL" value={text} set={setText} />
            <div class="row">
              <CopyButton text={found.join('\n')} label={`Copy ${count(found.length)}`} />
              <Button kind="primary" label="Read these pages" click={() => read(found)} />
            </div>
          </div>
          <ul class="preview-links">
            {found.slice(0, shownMax).map((url) => (
              <li key={url}>{url}</li>
            ))}
          </ul>
          {found.length > shownMax && <p class="muted">The first {count(shownMax)} are listed.</p>}
        </>
      )}
    </section>
  );
}
