// LaTeX in a form in which formulas that look alike are mostly equal.
#ifndef OCTAVO_EVALUATE_LATEX_FORM_H_
#define OCTAVO_EVALUATE_LATEX_FORM_H_

#include <string>
#include <string_view>

namespace octavo {

// The formula's tokens with a blank between, after these steps and no others:
//   - white space and spacing commands (\, \; \: \! \  \quad \qquad ~) left out
//   - \left \right and their invisible ".", \big to \Bigg with l, r or m, \displaystyle to
//     \scriptscriptstyle, \limits, \nolimits, \nonumber, \notag left out; \tag{} and \label{} with
//     their arguments
//   - one spelling of several: \le \leq, \ge \geq, \ne \neq, \to \rightarrow, \gets \leftarrow,
//     \dfrac \tfrac \frac, \dots \ldots, \lbrace \{, \rbrace \}, \vert |, \Vert \|, \land \wedge,
//     \lor \vee, \lnot \neg, \ast *, \colon :
//   - braces around one token, around another group, or around nothing left out
//   - a subscript before a superscript
//   - "." or "," at the end left out
// Never throws; unbalanced braces stay.
std::string NormalLatex(std::string_view latex);

}  // namespace octavo

#endif  // OCTAVO_EVALUATE_LATEX_FORM_H_
