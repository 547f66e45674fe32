import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createRedactor } from '../../../../src/agentkit/redaction/createRedactor.ts';
import { KnownSecrets } from '../../../../src/agentkit/redaction/knownSecrets.ts';

const redactor = createRedactor(new KnownSecrets());
const akia = `AKIAIOSFODNN7EXAMPLE`;
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl`;

describe('redaction by shape', () => {
  for (const [text, expected, reason] of [
    ['password: hunter2', 'password: [redacted]', 'a configuration line'],
    ['password: two words', 'password: [redacted]', 'its value may hold spaces'],
    ['  - token: abc  ', '  - token: [redacted]  ', 'indented, in a list'],
    ['password = my pass', 'password = [redacted]', 'the same with an equals sign'],
    ['PGPASSWORD=abc psql -h db', 'PGPASSWORD=[redacted] psql -h db', 'a word, when a command follows'],
    ['export DB_PASSWORD=abc;ls', 'export DB_PASSWORD=[redacted];ls', 'a shell operator ends a word'],
    ['password=abc|sh', 'password=[redacted]|sh', 'so that no command hides behind it'],
    ["password='it is'", "password='[redacted]'", 'single quotes'],
    ['password="a\\"b" next=1', 'password="[redacted]" next=1', 'an escaped quote does not end it'],
    ['password="abc', 'password="[redacted]', 'no closing quote'],
    ['password="a"b c', 'password=[redacted] c', 'text attached to the quotes belongs to it'],
    ['password=""', 'password=""', 'nothing is nothing'],
    ['password:', 'password:', 'no value'],
    ['"password": null,', '"password": null,', 'null says that there is none'],
    ['{"password":"a","user":"u"}', '{"password":"[redacted]","user":"u"}', 'JSON stays JSON'],
    ['{"password":12,"user":"u"}', '{"password":[redacted],"user":"u"}', 'a figure'],
    ['{"secret":{"a":"}"},"user":"u"}', '{"secret":[redacted],"user":"u"}', 'an object as value'],
    ['"credentials": {', '"credentials": {', 'a bracket alone opens lines of their own'],
    [
      '"{\\"password\\":\\"a\\\\\\"b\\",\\"u\\":1}"',
      '"{\\"password\\":\\"[redacted]\\",\\"u\\":1}"',
      'JSON in JSON',
    ],
    ['{password: abc}', '{password: [redacted]}', 'a bracket it did not open'],
    ["'password' => 'x',", "'password' => '[redacted]',", 'an arrow'],
    ['password:=x', 'password:=[redacted]', 'an assignment'],
    ['user=a,password=b,host=c', 'user=a,password=[redacted],host=c', 'a comma in front of a key'],
    ['user=a password=b,c', 'user=a password=[redacted]', 'any other comma belongs to it'],
    ['--password=abc --user u', '--password=[redacted] --user u', 'an option'],
    ['?user=a&token=b&x=1', '?user=a&token=[redacted]&x=1', 'a query'],
    ['API key: abc', 'API key: [redacted]', 'a key of two words'],
    ['x-api-key: abc', 'x-api-key: [redacted]', 'a header'],
    ['privateKey=abc', 'privateKey=[redacted]', 'split at case'],
    ['AWS_SECRET_ACCESS_KEY=abc', 'AWS_SECRET_ACCESS_KEY=[redacted]', 'split at underscores'],
    ['client_secret=abc', 'client_secret=[redacted]', 'secret'],
    ['accesstoken=abc', 'accesstoken=[redacted]', 'words run together'],
    ['csrfToken: abc', 'csrfToken: [redacted]', 'a final token'],
    ['next_page_token=abc', 'next_page_token=abc', 'a reading position'],
    ['nextPageToken: abc', 'nextPageToken: abc', 'a reading position'],
    ['syncToken=abc cursor_token=d', 'syncToken=abc cursor_token=d', 'reading positions'],
    ['token_type=bearer', 'token_type=bearer', 'token is not last'],
    ['secretary: Ann', 'secretary: Ann', 'another word'],
    ['monkey: x, public_key=y', 'monkey: x, public_key=y', 'no key of api, access or private'],
    ['std::secret::new', 'std::secret::new', 'a name space'],
    ['Authorization: Bearer abc', 'Authorization: [redacted]', 'scheme and credentials'],
    ['Authorization: Basic dTpw', 'Authorization: [redacted]', 'scheme and credentials'],
    ['authorization=Bearer abc', 'authorization=[redacted]', 'as an assignment'],
    [
      '> Proxy-Authorization: Digest username="u", response="r"',
      '> Proxy-Authorization: [redacted]',
      'a traced request',
    ],
    [
      'curl -H "Authorization: Bearer abc" https://h',
      'curl -H "Authorization: [redacted]" https://h',
      'up to the quote',
    ],
    ["curl -H 'Cookie: a=b; c=d' h", "curl -H 'Cookie: [redacted]' h", 'up to the quote'],
    ['sent Authorization: Bearer abc; then', 'sent Authorization: [redacted]; then', 'inside a line'],
    ['sent Cookie: a=b; c=d HTTP', 'sent Cookie: [redacted] HTTP', 'a row of cookies'],
    ['Set-Cookie: id=1; Path=/; HttpOnly', 'Set-Cookie: [redacted]', 'with its attributes'],
    ['Cookie: a=b\r', 'Cookie: [redacted]\r', 'the CR stays'],
    ['read -p "Password: " p; ls', 'read -p "Password: " p; ls', 'a prompt has no value'],
    ['[sudo] password for ann: ', '[sudo] password for ann: ', 'a prompt has no value'],
    ["Enter passphrase for key '/a/id': ", "Enter passphrase for key '/a/id': ", 'a prompt has no value'],
    ['https://u:p@h/x', 'https://[redacted]@h/x', 'user info of a URL'],
    ['ssh://ann@h', 'ssh://[redacted]@h', 'also without a password'],
    ['https://u:p@q@h/', 'https://[redacted]@h/', 'up to the last at'],
    ['https://h/@ann?m=a@b', 'https://h/@ann?m=a@b', 'an at behind the authority'],
    ['mail ann@example.com', 'mail ann@example.com', 'no URL'],
    [`id ${akia} x`, 'id [redacted] x', 'an access key id'],
    ['ASIAIOSFODNN7EXAMPLE', '[redacted]', 'a temporary one'],
    ['xAKIAIOSFODNN7EXAMPLE', 'xAKIAIOSFODNN7EXAMPLE', 'not at a word start'],
    [`AIza${'a'.repeat(35)}`, '[redacted]', 'a Google key'],
    [`sk-proj-${'a1'.repeat(12)}`, '[redacted]', 'a provider key'],
    ['sk-fading-circle-container', 'sk-fading-circle-container', 'words with dashes'],
    ['disk-1234567890123456', 'disk-1234567890123456', 'not at a word start'],
    [`ghp_${'a'.repeat(36)}`, '[redacted]', 'a forge token'],
    [`github_pat_${'a'.repeat(30)}`, '[redacted]', 'a forge token'],
    [`glpat-${'a'.repeat(20)}`, '[redacted]', 'a forge token'],
    [`xoxb-1234567890-abc`, '[redacted]', 'a chat token'],
    [`t ${jwt}.`, 't [redacted].', 'a JSON Web Token'],
    ['eyJhbGciOiJIUzI1NiJ9', 'eyJhbGciOiJIUzI1NiJ9', 'one part is no token'],
    ['password=[redacted]', 'password=[redacted]', 'what is redacted stays'],
    ['password=[redacted]x}', 'password=[redacted]}', 'a mark belongs to the value'],
    ['**Password:** hunter2', '**Password:** [redacted]', 'emphasis around key and colon'],
    ['- **DB password**: `two words`', '- **DB password**: `[redacted]`', 'emphasis around the key'],
    ['the __password:__ a b', 'the __password:__ [redacted] b', 'the other emphasis'],
    ['_token_: abc', '_token_: [redacted]', 'single emphasis'],
    ['**Authorization:** Bearer abc', '**Authorization:** [redacted]', 'a header with emphasis'],
    ['PASSWORD=*** psql', 'PASSWORD=[redacted] psql', 'stars that nothing opened are a value'],
    ['\x1b[36mpassword\x1b[0m=abc x', '\x1b[36mpassword\x1b[0m=[redacted] x', 'a coloured key'],
    ['"token"\x1b[0m: \x1b[32m"ab"\x1b[0m', '"token"\x1b[0m: \x1b[32m"[redacted]"\x1b[0m', 'coloured JSON'],
    ['df -h /var', 'df -h /var', 'nothing to hide'],
  ] as const)
    it(`${JSON.stringify(text)} becomes ${JSON.stringify(expected)} (${reason})`, () => {
      assert.equal(redactor.redact(text), expected);
      assert.equal(redactor.redact(expected), expected);
    });
});

describe('PEM blocks', () => {
  const block =
    '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIabc\nMIIdef==\n-----END RSA PRIVATE KEY-----';

  it('each line of a block keeps one mark', () => {
    assert.equal(
      redactor.redact(`before\n${block}\nafter\n`),
      'before\n[redacted]\n[redacted]\n\n[redacted]\n[redacted]\n[redacted]\nafter\n',
    );
  });

  it('what stands around it on its lines stays', () => {
    assert.equal(
      redactor.redact('key: |-\n  -----BEGIN A-----\n  abc\r\n  -----END A----- # note\nuser: ann'),
      'key: |-\n  [redacted]\n  [redacted]\r\n  [redacted] # note\nuser: ann',
    );
  });

  it('a block on one line, as JSON escapes it', () => {
    assert.equal(
      redactor.redact(JSON.stringify({ pem: `${block}\n`, user: 'ann' })),
      '{"pem":"[redacted]\\n","user":"ann"}',
    );
  });

  it('a BEGIN without END does not swallow the rest of a long text', () => {
    const text = `-----BEGIN CERTIFICATE-----\n${'line\n'.repeat(600)}`;
    const lines = redactor.redact(text).split('\n');
    assert.deepEqual(
      [lines[0], lines[512], lines[513], lines.length],
      ['[redacted]', '[redacted]', 'line', 602],
    );
  });

  it('an END alone is nothing', () => {
    assert.equal(redactor.redact('-----END RSA PRIVATE KEY-----\nx'), '-----END RSA PRIVATE KEY-----\nx');
  });
});

describe('JSON', () => {
  it('hides values under sensitive keys whole and leaves null and the empty text', () => {
    assert.deepEqual(
      redactor.redactJson({
        apiKey: 'x',
        password: null,
        secret: '',
        credentials: { user: 'ann', list: [1] },
        next_page_token: 'n',
        user: 'ann',
      }),
      {
        apiKey: '[redacted]',
        password: null,
        secret: '',
        credentials: '[redacted]',
        next_page_token: 'n',
        user: 'ann',
      },
    );
  });

  it('hides the value beside a sensitive name', () => {
    assert.deepEqual(
      redactor.redactJson({
        env: [
          { name: 'PGPASSWORD', value: 'x' },
          { name: 'LANG', value: 'C' },
        ],
      }),
      {
        env: [
          { name: 'PGPASSWORD', value: '[redacted]' },
          { name: 'LANG', value: 'C' },
        ],
      },
    );
  });

  it('redacts inside texts and keys, and keeps a key that looks like a prototype', () => {
    const value = JSON.parse(`{"__proto__":"token=x","${akia}":"y"}`) as object;
    assert.equal(
      JSON.stringify(redactor.redactJson(value)),
      '{"__proto__":"token=[redacted]","[redacted]":"y"}',
    );
  });
});

describe('adversarial lines of 1 MiB', () => {
  const size = 1_048_576;
  const fill = (part: string): string => part.repeat(Math.ceil(size / part.length));

  for (const [name, line, expected] of [
    ['separators', fill(':='), fill(':=')],
    ['keys without values', fill('secret:'), /^secret:\[redacted\]$/],
    ['open containers', fill('x secret:{'), /^x secret:\[redacted\]$/],
    ['open quotes', fill('x secret:"'), /^x secret:"?(?:\[redacted\]"? ?(?:secret:"?)?)+$/],
    ['backslashes', `x secret:${fill('\\')}`, /^x secret:\[redacted\]$/],
    ['token starts', fill('eyJ'), fill('eyJ')],
    ['token parts', fill('.eyJabcdefghij'), /^\.?(\[redacted\]|[.\w])*$/],
    ['dashed keys', fill('sk-'), fill('sk-')],
    ['access keys', fill('AKIA'), '[redacted]'],
    ['scheme starts', fill('://'), fill('://')],
    ['at signs', `x://${fill('@')}`, /^x:\/\/\[redacted\]@+$/],
    ['PEM starts', fill('-----BEGIN '), fill('-----BEGIN ')],
    ['marks', fill('[redacted]'), fill('[redacted]')],
    ['words behind a value', `x password=${fill('a,')}`, /^x password=\[redacted\],?$/],
    ['header parameters', `x Authorization: a ${fill(', b="c"')}`, /^x Authorization: \[redacted\]/],
  ] as const)
    it(`${name} are read to their end`, () => {
      const result = redactor.redact(line);
      if (typeof expected === 'string') assert.ok(result === expected, 'changed');
      else assert.match(result, expected);
      assert.ok(redactor.redact(result) === result, 'not idempotent');
    });
});
