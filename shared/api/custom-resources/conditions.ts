import { int64, listOf, object, oneOf, text } from '../schema/fields.ts';
import { instant } from './scalars.ts';

const TYPE =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
const REASON = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

const type = text('What is true or not.', { maxLength: 316, pattern: TYPE });
const status = oneOf('Whether it is so.', ['True', 'False', 'Unknown']);
const lastTransitionTime = instant('When the status changed last.');
const message = text('The same for people.', { maxLength: 32_768 });
const observedGeneration = int64('The generation of the object that was judged.', { minimum: 0 });

const LIST = { listType: 'map', listKeys: ['type'] } as const;

const condition = object('One aspect of the state that the object is in.', {
  required: {
    type,
    status,
    reason: text('Why, as one word for programs.', {
      minLength: 1,
      maxLength: 1024,
      pattern: REASON,
    }),
    message,
    lastTransitionTime,
  },
  optional: { observedGeneration },
});

const description = 'What is known of the state of the object, by type.';

export const conditions = listOf(description, condition, LIST);

/** A list that may contain a type twice, like Karpenter's. */
export const plainConditions = listOf(description, condition);

/** Conditions of NodeClaims: the reason may be empty and the message absent. */
export const claimConditions = listOf(
  description,
  object('One aspect of the state that the NodeClaim is in.', {
    required: { type, status, lastTransitionTime },
    optional: {
      reason: text('Why, as one word for programs.', {
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
