// The same request in several languages.
import { useState } from 'preact/hooks';
import { languages, type Input, type Language, requestText, withoutDefaults } from '../request-text.ts';
import { jobOptions } from '../schema.ts';
import { CopyButton, ErrorNote, Skeleton } from './basics.tsx';
import { useLoaded } from './hooks.ts';

export function RequestCode({ input }: { input: Input }) {
  const [language, setLanguage] = useState<Language>('curl');
  const { value: options, error, reload } = useLoaded('options', jobOptions);
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!options) return <Skeleton lines={6} />;
  const text = requestText(language, withoutDefaults(input, options), options);
  return (
    <div class="request">
      <div class="request-bar">
        <div class="tabs-small" role="tablist" aria-label="Language">
          {languages.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`language-${each}`}
              aria-controls="request-code"
              aria-selected={each === language}
              onClick={() => setLanguage(each)}
            >
              {each}
            </button>
          ))}
        </div>
        <CopyButton text={text} />
      </div>
      <div id="request-code" role="tabpanel" aria-labelledby={`language-${language}`}>
        <pre class="code-text" tabIndex={0} role="region" aria-label={`The request with ${language}`}>
          <code>{text}</code>
        </pre>
      </div>
    </div>
  );
}
