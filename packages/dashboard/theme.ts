// Light, dark, or as the system is set. The choice is kept in this browser.
import { computed, effect, signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const key = 'hayrake-theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(key);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = signal<Theme>(stored());

const system = matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system.matches);

/** The page is dark now. */
export const isDark = computed(() => theme.value === 'dark' || (theme.value === 'auto' && isSystemDark.value));

/** Keeps the page in the chosen colours, also when the system changes. */
export function followTheme(): void {
  system.addEventListener('change', ({ matches }) => (isSystemDark.value = matches));
  effect(() => void (document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light'));
}

export function setTheme(value: Theme): void {
  theme.value = value;
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice lasts as long as the page.
  }
}
