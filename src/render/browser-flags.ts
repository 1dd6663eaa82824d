// The flags for Chromium, each with its reason. The network is closed three times: hayrake answers every request, a
// proxy refuses those that bypass it, and the network namespace is empty.

/** What the browser must not do by itself, or need not do. */
const always = [
  // For full Chromium; the headless shell has no other mode.
  '--headless',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  // Requests to the vendor.
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
  // UDP, which bypasses proxies: WebRTC and QUIC.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // hayrake resolves names. The proxy below is given by its address.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  // By default requests to loopback bypass every proxy.
  '--proxy-bypass-list=<-loopback>',
  '--disable-features=AutofillServerCommunication,BackForwardCache,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,FetchLaterAPI,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,Prerender2,SpeculationRulesPrefetch,Translate',
  // Tabs share the browser, so a page in the background must run like one in front.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  // No devices, no sound, no GPU.
  '--disable-gpu',
  '--mute-audio',
  '--disable-notifications',
  '--disable-extensions',
  '--deny-permission-prompts',
  '--password-store=basic',
  '--use-mock-keychain',
  // Containers have only 64 MiB of it.
  '--disable-dev-shm-usage',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // A page that takes more crashes its tab, not the machine.
  '--js-flags=--max-old-space-size=512',
  '--window-size=1280,1024',
];

export interface FlagOptions {
  /** A port where every connection is refused, or nothing listens. */
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
