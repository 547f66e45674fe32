import ts from 'typescript';

/** One place in a source file where text leaves the program. */
export interface FoundSink {
  readonly kind: SinkKind;
  /** Below `src`, with `/`. */
  readonly file: string;
  /** Of the innermost named function, method or class member around it; `(module)` for none. */
  readonly inside: string;
  /** True when what leaves is our own words or comes out of the redactor in this very expression. */
  readonly isGuarded: boolean;
  readonly line: number;
}

/**
 * How text gets out: into a page or its frame, into words of the editor, onto the clipboard, into a document or file, a database, the memory of the
 * editor, a log or standard output, a request, the arguments of another program.
 */
export type SinkKind =
  | 'page'
  | 'frame'
  | 'message'
  | 'clipboard'
  | 'document'
  | 'file'
  | 'database'
  | 'memento'
  | 'log'
  | 'request'
  | 'program';

interface Pattern {
  readonly kind: SinkKind;
  /** The name that is called. */
  readonly name: RegExp;
  /** What stands in front of the name; anything when absent. */
  readonly on?: RegExp;
}

/** The calls by which text leaves. A new way out of the program is a new row. */
const patterns: readonly Pattern[] = [
  { kind: 'page', name: /^postMessage$/, on: /webview|view|panel|page/i },
  { kind: 'message', name: /^(show(Information|Warning|Error)Message|setStatusBarMessage)$/ },
  { kind: 'clipboard', name: /^writeText$/ },
  { kind: 'document', name: /^(openTextDocument|register(TextDocumentContent|FileSystem)Provider)$/ },
  { kind: 'file', name: /^((write|append)File(Sync)?|createWriteStream|writeSync)$/ },
  { kind: 'file', name: /^write$/, on: /file|handle/i },
  { kind: 'memento', name: /^(update|store)$/, on: /memento|state|configuration|secrets|storage/i },
  { kind: 'log', name: /^createOutputChannel$/ },
  { kind: 'log', name: /./, on: /^console$/ },
  { kind: 'log', name: /^write$/, on: /^process\.std(out|err)$/ },
  { kind: 'request', name: /^(fetch|sendBeacon)$/ },
  { kind: 'program', name: /^(spawn|exec|execFile)(Sync)?$|^fork$/, on: /^(|child_process|childProcess)$/ },
  { kind: 'program', name: /^openExternal$/, on: /env$/ },
];

/** A statement that puts something into a database. */
const changing = /^\s*(INSERT|REPLACE)\s+(OR\s+\w+\s+)?INTO\s|^\s*UPDATE\s+\S+\s+SET\s/i;

/** Finds every sink in one file. `text` is TypeScript. */
export function findSinks(file: string, text: string): readonly FoundSink[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: FoundSink[] = [];
  const note = (node: ts.Node, kind: SinkKind, isGuarded: boolean): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ kind, file, inside: insideOf(node), isGuarded, line });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const pattern = patternOf(node.expression);
      // What is behind the arguments of a program is how it is started.
      const parts = pattern?.kind === 'program' ? node.arguments.slice(0, 2) : node.arguments;
      if (pattern !== undefined) {
        const isSafe = parts.every((part) => isGuarded(part, source));
        note(node, pattern.kind, isSafe);
      }
    }
    if (isText(node) && changing.test(node.text)) note(node, 'database', false);
    if (ts.isBinaryExpression(node) && isHtml(node)) note(node, 'frame', isGuarded(node.right, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `… .html = …` */
function isHtml({ left, operatorToken }: ts.BinaryExpression): boolean {
  const isAssignment = operatorToken.kind === ts.SyntaxKind.EqualsToken;
  return isAssignment && ts.isPropertyAccessExpression(left) && left.name.text === 'html';
}

function isText(
  node: ts.Node,
): node is ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateHead {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node);
}

function patternOf(callee: ts.Expression): Pattern | undefined {
  const name = ts.isPropertyAccessExpression(callee)
    ? callee.name.text
    : ts.isIdentifier(callee)
      ? callee.text
      : '';
  const on = ts.isPropertyAccessExpression(callee) ? callee.expression.getText() : '';
  return name === ''
    ? undefined
    : patterns.find((pattern) => pattern.name.test(name) && (pattern.on?.test(on) ?? true));
}

const redacting = /^(redact|redactJson|redactMessage|describeError|describeFault)$/;

/**
 * Our own words: literals and what `l10n.t` makes of them, unless a raw error is put into them. Or a call of the redactor, or of what is
 * redacted by contract. A name counts as what it was declared to be in the same file.
 */
function isGuarded(
  node: ts.Expression,
  source: ts.SourceFile,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const again = (part: ts.Expression): boolean => isGuarded(part, source, seen);
  if (isText(node) || ts.isNumericLiteral(node)) return true;
  if (node.kind === ts.SyntaxKind.TrueKeyword || node.kind === ts.SyntaxKind.FalseKeyword) return true;
  const isAround =
    ts.isParenthesizedExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isElementAccessExpression(node);
  if (isAround) return again(node.expression);
  if (ts.isConditionalExpression(node)) return again(node.whenTrue) && again(node.whenFalse);
  if (ts.isBinaryExpression(node)) return again(node.left) && again(node.right);
  if (ts.isArrayLiteralExpression(node)) return node.elements.every(again);
  if (ts.isTemplateExpression(node)) return node.templateSpans.every(({ expression }) => again(expression));
  if (ts.isObjectLiteralExpression(node))
    return node.properties.every((member) => {
      if (ts.isPropertyAssignment(member)) return again(member.initializer);
      return ts.isShorthandPropertyAssignment(member) && again(member.name);
    });
  if (ts.isCallExpression(node)) {
    const callee = node.expression;
    const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
    if (redacting.test(name)) return true;
    return /\bl10n\.t$/.test(callee.getText()) && !node.arguments.some(isRawError);
  }
  if (!ts.isIdentifier(node) || seen.has(node.text)) return false;
  const within = new Set([...seen, node.text]);
  const declared = declarationsOf(node.text, source);
  return declared.length > 0 && declared.every((one) => one !== undefined && isGuarded(one, source, within));
}

/** `error`, `error.message`, `String(error)` and the like somewhere in it, outside of what redacts. */
function isRawError(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) {
    const callee = node.expression;
    if (redacting.test(ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText()))
      return false;
  }
  if (ts.isIdentifier(node) && /^(error|reason|cause|stderr|stdout|output)$/.test(node.text)) return true;
  return ts.forEachChild(node, (child) => isRawError(child) || undefined) ?? false;
}

/** What this name is declared to be anywhere in the file; undefined for a parameter or a part of something. */
function declarationsOf(name: string, source: ts.SourceFile): readonly (ts.Expression | undefined)[] {
  const found: (ts.Expression | undefined)[] = [];
  const visit = (node: ts.Node): void => {
    const isNamed = (part: ts.BindingName): boolean => ts.isIdentifier(part) && part.text === name;
    if (ts.isVariableDeclaration(node) && isNamed(node.name)) found.push(node.initializer);
    if ((ts.isParameter(node) || ts.isBindingElement(node)) && isNamed(node.name)) found.push(undefined);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function insideOf(node: ts.Node): string {
  for (let up = node.parent; !ts.isSourceFile(up); up = up.parent) {
    if (ts.isConstructorDeclaration(up)) return 'constructor';
    if (ts.isFunctionDeclaration(up) || ts.isMethodDeclaration(up) || ts.isClassDeclaration(up))
      return up.name?.getText() ?? '(module)';
    if (ts.isVariableStatement(up) && ts.isSourceFile(up.parent))
      return up.declarationList.declarations[0]?.name.getText() ?? '(module)';
  }
  return '(module)';
}
