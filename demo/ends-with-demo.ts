// Loaded into the service of the demo: it ends when the demo does, also by SIGKILL, and takes the files along.
import { rmSync } from 'node:fs';

process.once('disconnect', () => {
  process.once('exit', () => rmSync(process.env['HAYRAKE_DATA'] ?? '', { recursive: true, force: true }));
  process.kill(process.pid, 'SIGTERM');
});
// The channel keeps no service running.
process.channel?.unref();
