import type * as z from 'zod';
import { EC2_NODE_CLASS } from './objects/ec2-node-class.ts';
import { storedSchema } from './stored-schema.ts';

/** EC2NodeClass as the API server keeps it; one without a spec is refused: it makes no nodes. */
export const ec2NodeClassSchema = storedSchema(EC2_NODE_CLASS);
export type WrittenEC2NodeClass = z.output<typeof ec2NodeClassSchema>;
