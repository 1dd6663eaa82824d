import { render } from 'preact';
import { App } from './app.tsx';
import { loadSession } from './api.ts';
import { startRouter } from './router.ts';
import { applyTheme } from './theme.ts';

applyTheme();
startRouter();
const root = document.getElementById('app');
if (root) render(<App starting={loadSession()} />, root);
