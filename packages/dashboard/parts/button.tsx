// What is clicked: a button, and a link that looks like one.
import type { ComponentChildren } from 'preact';

interface Look {
  readonly label: ComponentChildren;
  /** @default in a frame, of the usual size */
  readonly kind?: 'primary' | 'danger' | 'small' | 'plain' | undefined;
  readonly class?: string;
}

interface ButtonProps extends Look {
  readonly click?: () => unknown;
  /** @default button */
  readonly type?: 'submit';
  readonly disabled?: boolean;
  readonly 'aria-label'?: string;
  readonly 'aria-pressed'?: boolean;
  readonly 'aria-expanded'?: boolean;
  readonly 'aria-describedby'?: string;
}

export function Button({ click, ...props }: ButtonProps) {
  return <button type="button" onClick={() => void click?.()} {...shown(props)} />;
}

interface LinkProps extends Look {
  readonly href: string;
  readonly target?: '_blank';
  readonly download?: boolean;
}

export function LinkButton(props: LinkProps) {
  return <a {...shown(props)} />;
}

function shown<Props extends Look>({ label, kind, class: more = '', ...rest }: Props) {
  const look = kind === undefined ? '' : `button-${kind}`;
  return { ...rest, class: ['button', look, more].filter(Boolean).join(' '), children: label };
}
