/** An option that the functions read as a variable of their environment. */
export interface VariableOption {
  readonly variable: string;
  readonly isValid: (text: string) => boolean;
  /** Converts the text for the functions; by default they get it as it is. */
  readonly rewrite?: (text: string) => string;
  /** Completes "The option … is …; it …". */
  readonly problem: string;
}

export type Variables = Readonly<Record<string, string>>;

/** Reads the variables of the options that are set, and adds invalid values to `problems`. */
export function readVariables(
  options: Readonly<Record<string, VariableOption>>,
  context: (name: string) => unknown,
  problems: string[],
): Variables {
  const variables: Record<string, string> = {};
  for (const [name, { variable, isValid, rewrite, problem }] of Object.entries(options)) {
    const value = context(name);
    if (value === undefined) continue;
    const text = String(value);
    if (isValid(text)) variables[variable] = rewrite ? rewrite(text) : text;
    else problems.push(`The option ${name} is ${JSON.stringify(value)}; it ${problem}.`);
  }
  return variables;
}
