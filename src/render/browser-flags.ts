// The flags that Chromium is started with, each with its reason. The network is closed three times over: every request
// is answered by hayrake, a proxy refuses what is not, and a network namespace has nothing in it.

/** What the browser must not do by itself, and what it need not. */
const always = [
  // For full Chromium; the headless shell knows no other way.
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  // Calls home.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-component-extensions-with-background-pages',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--no-service-autorun',
  '--metrics-recording-only',
  '--disable-field-trial-config',
  // `<a ping>`: a request that no page needs.
  '--no-pings',
  // UDP, which no proxy sees: WebRTC and QUIC.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // Names are resolved by hayrake. The proxy below is named by its address.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // By default loopback addresses pass by every proxy.
  '--proxy-bypass-list=<-loopback>',
  '--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,FetchLaterAPI,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,Prerender2,SpeculationRulesPrefetch,Translate',
  // A page in the background of another is as good as one in front: tabs share the browser.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  // No devices, no sounds, no graphics card.
  '--disable-gpu',
  '--mute-audio',
  '--disable-notifications',
  '--disable-extensions',
  '--deny-permission-prompts',
  '--password-store=basic',
  '--use-mock-keychain',
  // Containers have 64 MiB of it.
  '--disable-dev-shm-usage',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // A page that takes more ends its tab, not the machine.
  '--js-flags=--max-old-space-size=512',
  '--window-size=1280,1024',
];

export interface FlagOptions {
  /** Where something that refuses all connections listens, or nothing does. */
  readonly proxyPort: number;
  readonly profileDir: string;
  /** Chromium's own sandbox. */
  readonly isSandboxed: boolean;
}

export function browserFlags({ proxyPort, profileDir, isSandboxed }: FlagOptions): string[] {
  return [
    ...always,
    `--proxy-server=http://127.0.0.1:${proxyPort}`,
    `--user-data-dir=${profileDir}`,
    ...(isSandboxed ? [] : ['--no-sandbox']),
    'about:blank',
  ];
}
