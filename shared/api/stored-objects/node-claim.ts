import { NODE_CLAIM } from '../custom-resources/node-claim.ts';
import { storedSpecSchema } from './stored-schema.ts';

/** The spec of a NodeClaim as the API server stores it. */
export const nodeClaimSpecSchema = storedSpecSchema(NODE_CLAIM);
