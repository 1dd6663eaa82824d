import { render } from 'preact';
import { App } from './app.tsx';
import { loadSession } from './api.ts';
import { startRouter } from './router.ts';
import { followTheme } from './theme.ts';

followTheme();
startRouter();
const root = document.getElementById('app');
if (root) render(<App starting={loadSession()} />, root);
