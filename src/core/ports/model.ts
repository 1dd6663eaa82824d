/** The language model of the operator. */
export interface Model {
  /** Never rejects. Each call of the endpoint, repeats included, is announced with `mayCall`, and omitted on false. */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelReply>;
}

export interface ModelQuestion {
  /** What the model is to do. Nothing in it comes from the web. */
  readonly task: string;
  /** Text from the web. */
  readonly page: string;
  /** JSON Schema of the answer. */
  readonly schema: object;
  readonly mayCall: () => Promise<boolean>;
}

export type ModelReply =
  /** JSON, of any form. */
  | { readonly kind: 'answer'; readonly value: unknown }
  /** The model responded, but with something else. */
  | { readonly kind: 'bad_answer'; readonly why: string }
  | { readonly kind: 'unavailable'; readonly why: string }
  /** `mayCall` returned false before a call. */
  | { readonly kind: 'not_allowed' };
