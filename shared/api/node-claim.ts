import { NODE_CLAIM } from './objects/node-claim.ts';
import { storedSchema } from './stored-schema.ts';

/** NodeClaim as the API server keeps it. */
export const nodeClaimSchema = storedSchema(NODE_CLAIM);
