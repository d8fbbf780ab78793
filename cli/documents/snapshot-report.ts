import * as z from 'zod';

const count = z.number().int();

export const snapshotReportSchema = z.object({
  file: z.string(),
  bytes: count.meta({ description: 'size of the file, compressed' }),
  decisions: z.array(z.object({ id: z.string(), kind: z.enum(['provisioning', 'disruption', 'confirmation']) })),
  pods: count,
  nodes: count,
  nodeClaims: count,
  nodePools: count,
});

export type SnapshotReport = z.infer<typeof snapshotReportSchema>;
