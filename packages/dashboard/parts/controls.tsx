// Fields, choices and dialogs that several screens use.
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { shortCount } from '../format.ts';
import { ErrorNote } from './basics.tsx';
import { Button } from './button.tsx';
import { useAction } from './hooks.ts';

/** `label` also stands in the box while that is empty. */
export function SearchInput(props: {
  label: string;
  value: string;
  set: (value: string) => void;
  placeholder?: string;
  maxLength?: number;
  class?: string;
  box?: RefObject<HTMLInputElement | null>;
}) {
  const { label, set, box, class: more = '', ...rest } = props;
  return (
    <input
      ref={box ?? null}
      type="search"
      class={`search ${more}`}
      placeholder={label}
      aria-label={label}
      onInput={(event) => set(event.currentTarget.value)}
      {...rest}
    />
  );
}

/**
 * Choices of which one is on, each with how many it would show. `choose` learns whether it was on before.
 * `words`: they begin with a capital. `isCut`: there are more than the numbers say.
 */
export function Chips<Value>(props: {
  label?: string;
  class?: string;
  choices: readonly (readonly [value: Value, label: string, total?: number | undefined])[];
  chosen: Value;
  choose: (value: Value, wasOn: boolean) => void;
  words?: true;
  isCut?: boolean | undefined;
}) {
  const { label, choices, chosen, choose, words = false, isCut = false } = props;
  return (
    <div class={`chips ${props.class ?? ''}`} role="group" aria-label={label}>
      {choices.map(([value, name, total]) => {
        const isOn = value === chosen;
        return (
          <button key={name} type="button" class="chip" aria-pressed={isOn} onClick={() => choose(value, isOn)}>
            <span class={words ? 'words' : undefined}>{name}</span>
            {total !== undefined && <span class="chip-count">{`${shortCount(total)}${isCut ? '+' : ''}`}</span>}
          </button>
        );
      })}
    </div>
  );
}

type Option<Value> = readonly [label: string, value: Value];

interface Named {
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: boolean;
}

/** `isOff`: a value that cannot be chosen. */
export function Select<Value>(
  props: Named & {
    readonly options: readonly Option<Value>[];
    readonly value: Value;
    readonly set: (value: Value) => void;
    readonly isOff?: (value: Value) => boolean;
  },
) {
  const { options, value, set, isOff, ...rest } = props;
  const choose = (index: string): void => {
    const chosen = options[Number(index)];
    if (chosen) set(chosen[1]);
  };
  return (
    <select
      value={options.findIndex(([, each]) => each === value)}
      onChange={(event) => choose(event.currentTarget.value)}
      {...rest}
    >
      {options.map(([label, each], index) => (
        <option key={label} value={index} disabled={isOff?.(each) === true}>
          {label}
        </option>
      ))}
    </select>
  );
}

export function Check(props: Named & { readonly checked: boolean; readonly set: (isOn: boolean) => void }) {
  const { set, ...rest } = props;
  return <input type="checkbox" onChange={(event) => set(event.currentTarget.checked)} {...rest} />;
}

/**
 * One of several views. `controls`: the id of the panel. Its label is the tab with this id, a dash and the name. Without a
 * panel they are buttons that stay pressed.
 */
export function Tabs<Name extends string>(props: {
  label: string;
  names: readonly Name[];
  /** @default the names */
  titles?: Readonly<Record<Name, string>>;
  chosen: Name;
  controls?: string;
  choose: (name: Name) => void;
}) {
  const { label, names, titles, chosen, controls, choose } = props;
  const about = (name: Name): JSX.IntrinsicElements['button'] =>
    controls === undefined
      ? { 'aria-pressed': name === chosen }
      : { role: 'tab', id: `${controls}-${name}`, 'aria-controls': controls, 'aria-selected': name === chosen };
  return (
    <div class="tabs-small" role={controls === undefined ? 'group' : 'tablist'} aria-label={label}>
      {names.map((name) => (
        <button key={name} type="button" {...about(name)} onClick={() => choose(name)}>
          {titles?.[name] ?? name}
        </button>
      ))}
    </div>
  );
}

/** A button that asks once more before it acts. */
export function ConfirmButton(props: {
  label: string;
  question: string;
  confirm: string;
  act: () => Promise<void>;
  /** Fields below the question. */
  children?: ComponentChildren;
  kind?: 'small';
  /** @default Keep it */
  dismiss?: string;
  /** Nothing is removed or ended. */
  isHarmless?: boolean;
}) {
  const { label, question, confirm, children, kind, dismiss = 'Keep it', isHarmless = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const { isBusy, error, run } = useAction();
  const act = async (): Promise<void> => {
    await props.act();
    dialog.current?.close();
  };
  return (
    <>
      <Button label={label} kind={kind} click={() => dialog.current?.showModal()} />
      <dialog ref={dialog} aria-label={label}>
        <p>{question}</p>
        {children}
        {error && <ErrorNote error={error} />}
        <div class="row dialog-end">
          <Button label={dismiss} click={() => dialog.current?.close()} />
          <Button label={confirm} kind={isHarmless ? 'primary' : 'danger'} disabled={isBusy} click={() => run(act)} />
        </div>
      </dialog>
    </>
  );
}
