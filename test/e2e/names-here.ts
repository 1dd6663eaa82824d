// Loaded before the program (`--import`): names under `.test` are names of this machine, as a zone with a wildcard has it.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const { lookup } = dns;
dns.lookup = Object.assign((name: string, ...rest: [never, never]) => {
  lookup(name.endsWith('.test') ? '127.0.0.1' : name, ...rest);
}, lookup);
syncBuiltinESMExports();
