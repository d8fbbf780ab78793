import * as z from 'zod';
import { familyOfAlias, refusalOfAlias } from './ami-alias.ts';
import { ruleRefused } from './finding.ts';
import { kubeletSchema } from './kubelet.ts';
import { textsSchema } from './labels.ts';
import { objectSchema } from './metadata.ts';
import { refuse } from './read-with-schema.ts';
import { volumeSizeSchema } from './volume-size.ts';

const text = z.string().optional();
const flag = z.boolean().optional();
const count = z.int().optional();
const terms = <Term extends z.ZodType>(term: Term) => z.array(term).max(30);

const subnetTermSchema = z.object({ tags: textsSchema.optional(), id: text });
const securityGroupTermSchema = z.object({ tags: textsSchema.optional(), id: text, name: text });
const capacityReservationTermSchema = z.object({
  tags: textsSchema.optional(),
  id: text,
  ownerID: text,
  instanceMatchCriteria: z.enum(['open', 'targeted']).optional(),
});
const amiTermSchema = z.object({
  alias: z
    .string()
    .superRefine((alias, ctx) => {
      const refusal = refusalOfAlias(alias);
      if (refusal) refuse(ctx, refusal);
    })
    .optional(),
  tags: textsSchema.optional(),
  id: text,
  name: text,
  owner: text,
  ssmParameter: text,
});

const blockDeviceMappingSchema = z.object({
  deviceName: text,
  rootVolume: flag,
  ebs: z
    .object({
      volumeSize: volumeSizeSchema.optional(),
      volumeType: z.enum(['standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3']).optional(),
      snapshotID: text,
      encrypted: flag,
      deleteOnTermination: flag,
      iops: count,
      throughput: count,
      volumeInitializationRate: count,
      kmsKeyID: text,
    })
    .optional(),
});

const metadataOptionsSchema = z.object({
  httpEndpoint: z.enum(['enabled', 'disabled']).default('enabled'),
  httpProtocolIPv6: z.enum(['enabled', 'disabled']).default('disabled'),
  httpPutResponseHopLimit: z.int().min(1).max(64).default(1),
  httpTokens: z.enum(['required', 'optional']).default('required'),
});

const specSchema = z
  .object({
    subnetSelectorTerms: terms(subnetTermSchema),
    securityGroupSelectorTerms: terms(securityGroupTermSchema),
    capacityReservationSelectorTerms: terms(capacityReservationTermSchema).optional(),
    placementGroupSelector: z.object({ name: text, id: text }).optional(),
    amiSelectorTerms: terms(amiTermSchema).min(1),
    amiFamily: z
      .enum([
        'AL2',
        'AL2023',
        'Bottlerocket',
        'Custom',
        'Windows2019',
        'Windows2022',
        'Windows2025',
      ])
      .optional(),
    userData: text,
    role: text,
    instanceProfile: text,
    tags: textsSchema.optional(),
    associatePublicIPAddress: flag,
    ipPrefixCount: z.int().min(0).optional(),
    kubelet: kubeletSchema.optional(),
    blockDeviceMappings: z.array(blockDeviceMappingSchema).max(50).optional(),
    instanceStorePolicy: z.enum(['RAID0']).optional(),
    networkInterfaces: z
      .array(
        z.object({
          networkCardIndex: z.int().min(0),
          deviceIndex: z.int().min(0),
          interfaceType: z.enum(['interface', 'efa-only']),
        }),
      )
      .max(150)
      .optional(),
    detailedMonitoring: flag,
    metadataOptions: metadataOptionsSchema.prefault({}),
    connectionTracking: z
      .object({ tcpEstablishedTimeout: count, udpStreamTimeout: count, udpTimeout: count })
      .optional(),
    context: text,
    cpuOptions: z
      .object({ nestedVirtualization: z.enum(['enabled', 'disabled']).optional() })
      .optional(),
  })
  .superRefine(({ amiFamily, amiSelectorTerms }, ctx) => {
    const alias = amiSelectorTerms.find((term) => term.alias !== undefined)?.alias;
    const aliasFamily = alias === undefined ? undefined : familyOfAlias(alias);
    if (alias === undefined && amiFamily === undefined) {
      const why = 'without an alias, amiFamily tells how the node starts';
      refuse(ctx, ruleRefused('EC-14', 'amiFamily is missing', why, 'add amiFamily'));
    }
    if (aliasFamily && amiFamily && amiFamily !== 'Custom' && amiFamily !== aliasFamily) {
      const why = `alias ${alias} is of family ${aliasFamily}`;
      const fix = `write ${aliasFamily}, or leave it out`;
      refuse(ctx, ruleRefused('EC-15', `amiFamily ${amiFamily}`, why, fix), ['amiFamily']);
    }
  });

/** EC2NodeClass as users write it, defaults filled in. */
export const ec2NodeClassSchema = objectSchema('karpenter.k8s.aws/v1', 'EC2NodeClass', specSchema);
export type WrittenEC2NodeClass = z.output<typeof ec2NodeClassSchema>;
