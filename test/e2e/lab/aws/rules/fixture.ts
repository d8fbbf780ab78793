import { onTestFinished } from 'vitest';
import type { Answer } from '../../forward.ts';
import { startAwsProxy } from '../aws-proxy.ts';
import { CREDENTIALS } from '../emulators.ts';
import { createRules, type Pass, type Rule } from './rule.ts';

/** The answers of an emulator by service and action. It answers other requests with `{}`. */
export type Emulated = Readonly<Record<string, Partial<Answer>>>;

const OK: Answer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{}'),
};

export const emulate =
  (answers: Emulated = {}): Pass =>
  async ({ service, action }) => ({ ...OK, ...answers[`${service}.${action}`] });

export const json = (content: object): Partial<Answer> => ({
  body: Buffer.from(JSON.stringify(content)),
});

export const xml = (text: string): Partial<Answer> => ({
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(text),
});

/** The role of a function: a caller has the name of its function as session token. */
const FUNCTION = 'Mortise-lab-Sweep';

/**
 * Starts the proxy of the lab with rules, before a function in place of the emulators.
 *
 * @returns settings for SDK clients, and a step of CloudFormation: undefined, or the refusal
 */
export async function startRules(rules: readonly Rule[], emulator: Pass = emulate()) {
  const proxy = await startAwsProxy(createRules(rules), emulator);
  onTestFinished(() => proxy.end());
  const credentials = {
    accessKeyId: CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
  };
  const person = { endpoint: proxy.url, region: 'us-east-1', credentials, maxAttempts: 1 };
  return {
    person,
    fn: { ...person, credentials: { ...credentials, sessionToken: FUNCTION } },
    async step(action: string, type: string, properties: object, physicalId = '') {
      const body = JSON.stringify({ action, type, physicalId, properties });
      const answer = await fetch(proxy.stepsUrl, { method: 'POST', body });
      return answer.ok ? undefined : await answer.text();
    },
  };
}
