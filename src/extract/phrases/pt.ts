import type { Phrases } from './language.ts';

/** Portuguese. */
export const pt: Phrases = {
  logout: ['terminar sessão', 'encerrar sessão', 'terminar sessao', 'sair da conta'],
};
