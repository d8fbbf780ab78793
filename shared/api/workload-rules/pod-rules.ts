import type * as z from 'zod';
import { selects } from '../../model/requirements/selectors.ts';
import { readSelector, type selectorSchema } from '../builtin-resources/label-selector.ts';
import type { WrittenPodTemplate } from '../builtin-resources/pod-template.ts';
import { type FieldPath, type ManifestFinding, quote, refuseByRule } from '../finding.ts';
import { listContainers, listResourceFindings } from './resource-rules.ts';
import { listLabelFindings, listSchedulingFindings, listSelectorFindings } from './scheduling-rules.ts';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

/**
 * Lists what the API server refuses in the pods of a workload, across their fields. The schemas have
 * the rules about single fields.
 *
 * @param at - leads to the template, or to the pod itself
 * @param policies - the restart policies that the kind of the workload allows
 * @see kubernetes, pkg/apis/core/validation/validation.go
 */
export const listPodFindings = (
  { metadata, spec }: WrittenPodTemplate,
  at: FieldPath,
  policies: readonly RestartPolicy[],
): readonly ManifestFinding[] => {
  const inSpec = [...at, 'spec'];
  return [
    ...listLabelFindings(metadata?.labels, [...at, 'metadata', 'labels']),
    ...listRestartFindings(spec, inSpec, policies),
    ...listContainerFindings(spec, inSpec),
    ...listPortFindings(spec, inSpec),
    ...listResourceFindings(spec, inSpec),
    ...listSchedulingFindings(spec, inSpec),
  ];
};

type WrittenSpec = WrittenPodTemplate['spec'];

function listRestartFindings(
  { restartPolicy = 'Always' }: WrittenSpec,
  at: FieldPath,
  policies: readonly RestartPolicy[],
): readonly ManifestFinding[] {
  if (policies.some((allowed) => allowed === restartPolicy)) return [];
  const what = `restartPolicy ${quote(restartPolicy)} is not allowed here`;
  const why = `this kind of workload has pods that restart: ${policies.join(' or ')}; Always is the default`;
  return [
    {
      path: [...at, 'restartPolicy'],
      ...refuseByRule('restartPolicy', what, why, `write restartPolicy: ${policies[0] ?? 'Always'}`),
    },
  ];
}

const CONTAINER_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function listContainerFindings(spec: WrittenSpec, at: FieldPath): readonly ManifestFinding[] {
  const names = new Set<string>();
  return listContainers(spec).flatMap(({ container: { name }, path }) => {
    if (name === undefined) return [];
    const here = [...at, ...path, 'name'];
    const isRepeated = names.has(name);
    names.add(name);
    const rule = 'containers';
    if (isRepeated) {
      const what = `two containers are called ${quote(name)}`;
      const why = 'names are different in a pod, init containers included';
      return [{ path: here, ...refuseByRule(rule, what, why, 'rename one') }];
    }
    if (CONTAINER_NAME.test(name)) return [];
    const why = 'lower-case letters, digits and "-", at most 63';
    return [
      {
        path: here,
        ...refuseByRule(rule, `${quote(name)} is no name of a container`, why, 'rename it'),
      },
    ];
  });
}

function listPortFindings(spec: WrittenSpec, at: FieldPath): readonly ManifestFinding[] {
  const taken = new Set<string>();
  return spec.containers.flatMap(({ ports = [] }, container) =>
    ports.flatMap(({ containerPort, hostPort = 0, protocol, hostIP }, index) => {
      if (hostPort === 0) return [];
      const path = [...at, 'containers', container, 'ports', index, 'hostPort'];
      const key = `${hostIP}/${protocol}/${hostPort}`;
      const isRepeated = taken.has(key);
      taken.add(key);
      if (isRepeated) {
        const what = `host port ${hostPort} is there twice`;
        return [
          {
            path,
            ...refuseByRule('ports', what, 'a node has each port once', 'take one of them out'),
          },
        ];
      }
      if (!spec.hostNetwork || containerPort === undefined || containerPort === hostPort) return [];
      const what = `hostPort ${hostPort} beside containerPort ${containerPort}`;
      const why = 'both are the same port on the network of the host';
      return [{ path, ...refuseByRule('ports', what, why, `write hostPort: ${containerPort}`) }];
    }),
  );
}

/**
 * Lists the faults of the selector by which a workload finds its pods.
 *
 * @see kubernetes, pkg/apis/apps/validation/validation.go
 */
export function listOwnerSelectorFindings(
  selector: z.output<typeof selectorSchema> | undefined,
  { metadata }: WrittenPodTemplate,
): readonly ManifestFinding[] {
  const path = ['spec', 'selector'];
  const labels = metadata?.labels ?? {};
  const [[key, value] = ['app', 'NAME']] = Object.entries(labels);
  const fix = `write matchLabels: {${key}: ${value}}, and the same label in the template`;
  if (!selector) {
    const what = 'selector is missing';
    return [{ path, ...refuseByRule('selector', what, 'it names the pods by their labels', fix) }];
  }
  const findings = listSelectorFindings(selector, path);
  if (findings.length > 0) return findings;
  const { matchLabels, matchExpressions } = readSelector(selector);
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) {
    const what = 'selector is empty';
    return [
      {
        path,
        ...refuseByRule('selector', what, 'it would select every pod of the namespace', fix),
      },
    ];
  }
  if (selects({ matchLabels, matchExpressions }, labels)) return [];
  const what = 'selector does not match the labels of the template';
  const why = 'the workload would not find its own pods';
  return [{ path, ...refuseByRule('selector', what, why, fix) }];
}
