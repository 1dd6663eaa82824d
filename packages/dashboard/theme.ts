// Light, dark, or as the system is set. The choice is kept in this browser.
import { signal } from '@preact/signals';

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

export function applyTheme(): void {
  document.documentElement.dataset['theme'] = theme.value;
}

export function setTheme(value: Theme): void {
  theme.value = value;
  applyTheme();
  try {
    localStorage.setItem(key, value);
  } catch {
    // The choice lasts as long as the page.
  }
}

/** Returns true while the page is dark. */
export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
}
