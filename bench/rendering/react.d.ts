// React's types are a package of their own, and nothing else here needs them.
declare module 'react' {
  export function createElement(type: string, props: object | null, ...children: unknown[]): unknown;
}

declare module 'react-dom/server' {
  export function renderToString(element: unknown): string;
}
