/** CSS modules as esbuild exports them: local class names by their written names. */
declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>;
  export default classes;
}

/** A global style sheet; importing it adds it to the bundle. */
declare module '*.css' {}
