import type {
  ResourceV1ResourceClaim,
  V1DeviceClass,
  V1PodTemplateSpec,
  V1ResourceClaimTemplate,
  V1ResourceSlice,
} from '@kubernetes/client-node';
import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import type {
  deviceClaimSchema,
  deviceClaimTemplateSchema,
} from '../../../shared/api/builtin-resources/device-claims.ts';
import type { deviceClassSchema, deviceSliceSchema } from '../../../shared/api/builtin-resources/device-slices.ts';
import type { podTemplateSchema } from '../../../shared/api/builtin-resources/pod-template.ts';
import { readLive, type UnknownField } from '../../../shared/kubernetes/readers/live-object.ts';

type Unknown<Schema extends z.ZodType, Generated> = UnknownField<z.input<Schema>, Generated>;
const read = { outcome: 'read', value: undefined } as const;

describe('a schema of a built-in kind', () => {
  it('has no field that Kubernetes does not have', () => {
    expectTypeOf<Unknown<typeof podTemplateSchema, V1PodTemplateSpec>>().toBeNever();
    expectTypeOf<Unknown<typeof deviceClaimSchema, ResourceV1ResourceClaim>>().toBeNever();
    expectTypeOf<Unknown<typeof deviceClaimTemplateSchema, V1ResourceClaimTemplate>>().toBeNever();
    expectTypeOf<Unknown<typeof deviceClassSchema, V1DeviceClass>>().toBeNever();
    expectTypeOf<Unknown<typeof deviceSliceSchema, V1ResourceSlice>>().toBeNever();
  });

  it('does not compile with one, at any depth', () => {
    const text = z.string();
    const inSpec = z.object({ spec: z.object({ nodeNam: text.optional() }) });
    const inList = z.object({ status: z.object({ conditions: z.array(z.object({ typ: text })) }) });
    const besideAny = z.object({
      spec: z.record(text, z.unknown()).and(z.object({ nodeNam: text })),
    });
    // @ts-expect-error: the field is called `nodeName`
    readLive('Pod', inSpec, {}, () => read);
    // @ts-expect-error: the field is called `type`
    readLive('Pod', inList, {}, () => read);
    // @ts-expect-error: the field is called `nodeName`
    readLive('Pod', besideAny, {}, () => read);
    readLive('NodePool', inSpec, {}, () => read);
  });
});
