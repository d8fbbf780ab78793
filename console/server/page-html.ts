/** The page's HTML frame; the script draws the content. */
export const pageHtml = ({ token, nonce }: { token: string; nonce: string }): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="mortise-token" content="${token}">
<meta property="csp-nonce" nonce="${nonce}">
<title>Mortise</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body>
<div id="root"></div>
<noscript>Mortise draws this page with JavaScript, which is switched off.</noscript>
</body>
</html>
`;

/** A mortise is the hole that holds a tenon. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#171c26" d="M1 1h14v14H1z"/><path fill="#fff" d="M3 8h4V5h2v3h4v5H3z"/><path fill="#2a5bd0" d="M6 1h4v6H6z"/></svg>`;
