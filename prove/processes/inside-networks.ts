// Runs inside a network namespace: gives each worker its own namespace, with one link to the site and another one to
// the database, which can be cut. Prints the counts as JSON.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type Networks, processesCampaign } from '../many-processes.ts';
import { siteAddress } from './networks.ts';

const [rounds = 8, seed = 1] = process.argv.slice(2).join(' ').split(' ').map(Number);
const workers = 4;
const ip = (...args: readonly string[]): void => void execFileSync('ip', args);

execFileSync('mkdir', ['-p', '/run/netns']);
execFileSync('mount', ['-t', 'tmpfs', 'none', '/run/netns']);
for (let worker = 0; worker < workers; worker++) {
  const space = `w${worker}`;
  ip('netns', 'add', space);
  ip('-n', space, 'link', 'set', 'lo', 'up');
  for (const [kind, net] of [
    ['base', 78],
    ['site', 79],
  ] as const) {
    ip('link', 'add', `${kind}${worker}`, 'type', 'veth', 'peer', 'name', kind, 'netns', space);
    ip('addr', 'add', `10.${net}.${worker}.1/30`, 'dev', `${kind}${worker}`);
    ip('link', 'set', `${kind}${worker}`, 'up');
    ip('-n', space, 'addr', 'add', `10.${net}.${worker}.2/30`, 'dev', kind);
    ip('-n', space, 'link', 'set', kind, 'up');
  }
  ip('-n', space, 'route', 'add', siteAddress, 'via', `10.79.${worker}.1`);
}

// PostgreSQL accepts connections only from 127.0.0.1.
let databasePort = 0;
const door = createServer({ noDelay: true }, (socket) => {
  const inner = connect({ port: databasePort, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => inner.destroy()).on('close', () => inner.destroy());
  inner.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.pipe(inner).pipe(socket);
});
await once(door.listen(0, '0.0.0.0'), 'listening');
const { port } = door.address() as AddressInfo;

const networks: Networks = {
  address: siteAddress,
  starter: (worker) => ['ip', 'netns', 'exec', `w${worker}`],
  databaseUrl: (worker, text) => {
    const url = new URL(text);
    databasePort = Number(url.port);
    url.hostname = `10.78.${worker}.1`;
    url.port = String(port);
    return url.href;
  },
  setCut: (worker, isCut) => ip('link', 'set', `base${worker}`, isCut ? 'down' : 'up'),
};

const report = await processesCampaign({ rounds, seed, networks }, (text) => process.stderr.write(`${text}\n`));
process.stdout.write(JSON.stringify(report));
process.exit(0);
