import { formulaHtml } from './formula';
import { markdownText } from './markdown';
import { textOfHtml } from './text-of-html';

const spoken = (tex: string) => textOfHtml(formulaHtml(tex, false));

describe('a formula as text', () => {
  it.each([
    ['x=-\\frac{p}{2}\\pm\\sqrt{q}', 'x = −p/2 ± √q'],
    ['x^2+\\frac{p}{2}x+q=0', 'x² + (p/2)x + q = 0'],
    ['x_{1,2}=\\frac{-b\\pm\\sqrt{b^2-4ac}}{2a}', 'x_1,2 = (−b ± √(b² − 4ac))/(2a)'],
    ['\\sum_{i=1}^n i', '∑_(i = 1)^n i'],
    ['\\int_0^1 x^2\\,dx', '∫_0^1 x² dx'],
    ['\\lim_{x\\to 0}\\frac{\\sin x}{x}', 'lim_(x → 0) (sin x)/x'],
    ['\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}', '(1, 2; 3, 4)'],
    ['\\begin{aligned}x&=1\\\\y&=2\\end{aligned}', 'x = 1; y = 2'],
    ['\\begin{cases}x&x>0\\\\-x&x\\le0\\end{cases}', '{x, x > 0; −x, x ≤ 0'],
    ['\\binom{n}{k}', '(n; k)'],
    ['(a+b)^2 + (-c)^{n+1}', '(a + b)² + (−c)ⁿ⁺¹'],
    ['e^{i\\pi}+1=0', 'e^(iπ) + 1 = 0'],
    ['\\sqrt[3]{2}\\cdot\\sqrt[n]{x+1}', '∛2 ⋅ ⁿ√(x + 1)'],
    ['|x|<1', '|x| < 1'],
    ["f'(x), 90^\\circ", 'f′(x), 90°'],
    ['\\vec{a}, 0.\\overline{3}, \\underbrace{a+b}_{c}', 'a→, 0.3‾, (a + b)_c'],
    ['\\mathrm{H_2O}, {}^{14}_{6}\\mathrm{C}', 'H₂O, ₆¹⁴C'],
    ['\\mathcal{A}\\cup\\mathbf{B} \\in \\mathbb{R}', 'A ∪ B ∈ ℝ'],
    ['\\genfrac{}{}{0.4pt}{}{a}{b}, {a \\above{0.5pt} b}', 'a/b, a/b'],
    ['\\genfrac{}{}{0pt}{}{a}{b}', 'a; b'],
    ['\\left|x+1\\right|+2, \\lvert x\\rvert+1', '|x + 1| + 2, |x| + 1'],
    ['2\\left|-x\\right|=-2\\lVert v\\rVert-1', '2|−x| = −2‖v‖ − 1'],
    ['\\left\\{x\\mid x>0\\right\\}', '{x | x > 0}'],
    ['\\prescript{6}{14}{C}', '₆¹⁴C'],
    ['\\sideset{_1^2}{_3^4}\\sum', '₁²∑₃⁴'],
    ['3\\frac{1}{2}, \\frac{31}{2}, x\\tfrac12', '3 1/2, 31/2, x 1/2'],
    ['2\\sqrt[n]{x}, 2^n\\sqrt{x}, 2\\sqrt[3]{x}', '2 ⁿ√x, 2ⁿ√x, 2∛x'],
    ['\\sqrt[\\text{constructor}]{x}', '^constructor√x'],
    ['\\frac{1}{2}(x+1), \\frac{f}{g}\\left(x\\right)', '(1/2)(x + 1), (f/g)(x)'],
    ['\\sum^{}_{i} x, \\sum_{}^n x', '∑_i x, ∑^n x'],
    ['\\ce{2H2 + O2 -> 2H2O}', '2 H₂ + O₂ → 2 H₂O'],
    ['\\ce{A <=> B}', 'A ⇌ B'],
    ['\\ce{A ->[H2O] B}', 'A →^(H₂O) B'],
    ['A\\xrightarrow{f}B\\xrightarrow[g]{f(x)+1}C', 'A →^f B →_g^(f(x) + 1) C'],
    ['\\text{if } x \\le 3\\,\\mathrm{km}', 'if x ≤ 3 km'],
  ])('%j is %j', (tex, text) => expect(spoken(tex)).toBe(text));

  it.each(['x^{', '{x_{', '\\hat{'])('150 levels of %j are written as text', (start) => {
    const levels = 150;
    const depth = start.split('{').length - 1;
    const tex = start.repeat(levels) + 'x' + '}'.repeat(levels * depth);
    const text = spoken(tex);
    // Neither the source nor a formula that could not be read.
    expect(text).toMatch(/^\(*x[^{}\\]*$/);
    expect(text.match(/[\^_ˆ]/g)).toHaveLength(levels);
  });
});

it.each([
  ['**Which** `x` is ![the map](media:abc)?\n\n- a\n- b', 'Which x is the map? a b'],
  ['$5 & <b> &amp; $\\frac12$', '$5 & <b> & 1/2'],
  // Cannot be shown.
  ['**a** $\\frac{$', '**a** $\\frac{$'],
])('the text of %j is %j', (source, text) => expect(markdownText(source)).toBe(text));
