import { int64, listOf, object, oneOf, text } from '../schema/fields.ts';
import { instant } from './scalars.ts';

const TYPE =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const REASON = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

const type = text('Type of the condition.', { maxLength: 316, pattern: TYPE });
const status = oneOf('Status of the condition.', ['True', 'False', 'Unknown']);
const lastTransitionTime = instant('Time of the last change of the status.');
const message = text('Reason for the status, as a sentence.', { maxLength: 32_768 });
const observedGeneration = int64('Generation of the object for which the condition was set.', {
  minimum: 0,
});

const LIST = { listType: 'map', listKeys: ['type'] } as const;

const condition = object('A condition of the object.', {
  required: {
    type,
    status,
    reason: text('Reason for the status, as one word in CamelCase.', {
      minLength: 1,
      maxLength: 1024,
      pattern: REASON,
    }),
    message,
    lastTransitionTime,
  },
  optional: { observedGeneration },
});

const description = 'Conditions of the object, by type.';

export const conditions = listOf(description, condition, LIST);

/** A list that may contain a type twice, like Karpenter's. */
export const plainConditions = listOf(description, condition);

/** Conditions of NodeClaims: the reason may be empty and the message absent. */
export const claimConditions = listOf(
  description,
  object('A condition of the NodeClaim.', {
    required: { type, status, lastTransitionTime },
    optional: {
      reason: text('Reason for the status, as one word in CamelCase.', {
        maxLength: 1024,
        pattern: '^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?|)$',
      }),
      message,
      observedGeneration,
    },
  }),
  LIST,
);

export const READY_PATH = '.status.conditions[?(@.type=="Ready")].status';
export const AGE_PATH = '.metadata.creationTimestamp';
