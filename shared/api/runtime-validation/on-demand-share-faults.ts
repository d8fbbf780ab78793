import { type Labels, ON_DEMAND_BASE_ANNOTATION, ON_DEMAND_PERCENT_ANNOTATION } from '../../model/labels.ts';
import { listInvalidShares, type ShareUnit } from '../../model/offerings/on-demand-share.ts';
import { type FieldPath, quote } from '../finding.ts';
import { createFault, type Fault } from './fault.ts';

/**
 * Lists the annotations of an on-demand share that cannot be read.
 *
 * @param path - the annotations in their object
 */
export const listShareFaults = (annotations: Labels, unit: ShareUnit, path: FieldPath): readonly Fault[] =>
  listInvalidShares(annotations, unit).map((key) => {
    const { value, example } = VALUES[key === ON_DEMAND_PERCENT_ANNOTATION ? 'percent' : unit];
    return createFault(key, [...path, key], `${quote(annotations[key] ?? '')} is not ${value}`, `write ${example}`);
  });

const VALUES = {
  percent: { value: 'a percentage from 0 to 100', example: 'a number without %, like "30"' },
  pods: { value: 'a number of pods', example: 'a whole number, like "2"' },
  vCPUs: { value: 'a number of vCPUs', example: 'an amount of 0 or more, like "8"' },
} as const;

/** A static NodePool keeps its number of nodes; a share of them is not kept. */
export const listStaticShareFaults = (annotations: Labels, replicas: number | undefined): readonly Fault[] =>
  replicas === undefined
    ? []
    : [ON_DEMAND_BASE_ANNOTATION, ON_DEMAND_PERCENT_ANNOTATION]
        .filter((key) => annotations[key] !== undefined)
        .map((key) =>
          createFault(
            key,
            ['metadata', 'annotations', key],
            'a NodePool with replicas keeps no share on demand',
            'use two NodePools with one capacity type each',
          ),
        );
