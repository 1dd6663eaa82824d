// The same request in several languages.
import { useState } from 'preact/hooks';
import type { Input, Kind } from '../request.ts';
import { cliDifference, languages, type Language, requestText, withoutDefaults } from '../request-text.ts';
import { optionsOf } from '../schema.ts';
import { CopyButton, ErrorNote, Prose, Skeleton, Tabs } from './basics.tsx';
import { useLoaded } from './hooks.ts';

export function RequestCode({ kind, input }: { kind: Kind; input: Input }) {
  const [language, setLanguage] = useState<Language>('curl');
  const { value: options, error, reload } = useLoaded(`options ${kind}`, () => optionsOf(kind));
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!options) return <Skeleton lines={6} />;
  const request = { kind, input: withoutDefaults(input, options), options };
  const text = requestText(language, request);
  const difference = language === 'CLI' ? cliDifference(request) : '';
  return (
    <div class="request">
      <div class="request-bar">
        <Tabs label="Language" names={languages} chosen={language} controls="request-code" choose={setLanguage} />
        <CopyButton text={text} />
      </div>
      <div id="request-code" role="tabpanel" aria-labelledby={`request-code-${language}`}>
        <pre class="code-text" tabIndex={0} role="region" aria-label={`The request with ${language}`}>
          <code>{text}</code>
        </pre>
        {difference !== '' && (
          <p class="note request-note">
            <Prose text={difference} />
          </p>
        )}
        {(language === 'TypeScript' || language === 'Python') && (
          <p class="muted request-note">
            The client comes with the service: see <code>docs/clients.md</code>.
          </p>
        )}
      </div>
    </div>
  );
}
