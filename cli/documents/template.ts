import * as z from 'zod';

export const templateSchema = z.object({
  cluster: z.string(),
  stack: z.string(),
  /** Contains `template.json`, and the folder `code`. */
  folder: z.string(),
  /** Names of the archives in `code`. */
  code: z.array(z.string()),
});

export type TemplateReport = z.infer<typeof templateSchema>;
