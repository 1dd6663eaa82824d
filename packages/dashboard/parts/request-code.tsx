// The same request in several languages.
import { useState } from 'preact/hooks';
import type { Input, Kind } from '../request.ts';
import { cliDifference, languages, type Language, requestText, withoutDefaults } from '../request-text.ts';
import { optionsOf } from '../schema.ts';
import { CopyButton, Prose } from './basics.tsx';
import { Tabs } from './controls.tsx';
import { useLoaded } from './loaded.tsx';

export function RequestCode({ kind, input }: { kind: Kind; input: Input }) {
  const [language, setLanguage] = useState<Language>('curl');
  const { value: options, notice } = useLoaded(`options ${kind}`, () => optionsOf(kind));
  if (notice || !options) return notice;
  const request = { kind, input: withoutDefaults(input, options), options };
  const text = requestText(language, request);
  const difference = language === 'CLI' ? cliDifference(request) : '';
  return (
    <div class="stack gap-10">
      <div class="row request-bar">
        <Tabs label="Language" names={languages} chosen={language} controls="request-code" choose={setLanguage} />
        <CopyButton text={text} />
      </div>
      <div id="request-code" role="tabpanel" aria-labelledby={`request-code-${language}`}>
        <pre class="code-text" tabIndex={0} role="region" aria-label={`The request with ${language}`}>
          <code>{text}</code>
        </pre>
        {difference !== '' && (
          <p class="note small">
            <Prose text={difference} />
          </p>
        )}
        {(language === 'TypeScript' || language === 'Python') && (
          <p class="muted small">
            The client comes with the service: see <code>docs/clients.md</code>.
          </p>
        )}
      </div>
    </div>
  );
}
