import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETUP_GROUPS, WRITING_GROUPS } from '../../../../shared/kubernetes/setup/manifest.ts';
import { textAt } from '../json.ts';

const AUDIT_LOG = 'audit.log';

/** The callers whose requests are logged. */
export type AuditedCallers = { readonly users: readonly string[] } | { readonly userGroups: readonly string[] };

/** All of our functions, and `mortise controller`. */
export const OWN_CALLERS: AuditedCallers = {
  userGroups: [...WRITING_GROUPS, ...Object.values(SETUP_GROUPS)],
};

/** The flags with which the API server logs each request of these callers. */
export function auditFlags(folder: string, callers: AuditedCallers): readonly string[] {
  const policy = join(folder, 'audit-policy.json');
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['ResponseStarted', 'ResponseComplete'],
      rules: [{ level: 'Metadata', ...callers }, { level: 'None' }],
    }),
  );
  const log = join(folder, AUDIT_LOG);
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, '--audit-log-mode=blocking'];
}

/** The logged requests, oldest first. */
export const readAuditLog = (folder: string): readonly unknown[] =>
  readFileSync(join(folder, AUDIT_LOG), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));

const WRITES: ReadonlySet<string> = new Set(['create', 'patch', 'update']);

/**
 * @returns the requests that do not name their sender, and the writes without a field manager, each
 *   kind once
 */
export function findNamelessRequests(entries: readonly unknown[]): string[] {
  const faults = entries.flatMap((entry) => {
    const verb = textAt(entry, 'verb');
    const uri = new URL(textAt(entry, 'requestURI'), 'https://api');
    const what = `${verb} ${textAt(entry, 'objectRef', 'resource')} of ${textAt(entry, 'user', 'username')}`;
    const isNamed = /^mortise\/\S+ \([a-z-]+\)$/.test(textAt(entry, 'userAgent'));
    const needsManager = WRITES.has(verb) && !uri.searchParams.has('fieldManager');
    return [
      ...(isNamed ? [] : [`${what}: user agent ${textAt(entry, 'userAgent')}`]),
      ...(needsManager ? [`${what}: no field manager`] : []),
    ];
  });
  return [...new Set(faults)];
}
