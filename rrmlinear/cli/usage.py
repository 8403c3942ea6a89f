"""What the commands say of themselves, in LIBLINEAR's layout."""

TRAIN = """\
Usage: train [options] training_set_file [model_file]
options:
-s type : set type of solver (default 30)
{solver_types}
--loss name : loss of -s 32 and later, sdca, batch and newton (default hinge; of 42 smooth-hinge)
  for two classes, or each class against the rest
       {binary}
  for all classes in one problem
       {multiclass}
  for regression
       {regression}
--regularizer name : l2 (default), |w|^2/2; elastic-net, |w|^2/2 + S |w|_1;
       with -s {norm_types} also
       l1 -- S |w|_1 (with -s sdca and --loss squared, too)
       l2-norm, linf -- |w|_2, max |w_j|
       group-lasso, sparse-group-lasso -- sum of sqrt(d_g) |w_g|_2, that + S |w|_1
       exclusive-lasso, squared-group-norm -- sum of |w_g|_1^2, square of group-lasso
       l21, l1inf, trace-norm -- for losses of all classes: sum over features of |W_j|_2, of
                                 max |W_jk|; sum of the singular values of W
       elastic-ball -- the constraint |w|^2/2 + S |w|_1 <= R
--l1 S : the factor of |w|_1 (default 1 of l1 and sparse-group-lasso)
--radius R : what the constraint of elastic-ball allows; makes the constraint norm <= R of a norm
--groups file : the group of each feature, a whole number on a line of its own
--lower a : the least that weights may be, with regularizers l2, l1 and elastic-net; not the bias
--upper b : the most that they may be
--unpenalized features : 3,5-7 or a file with one on a line: no penalty on their weights
--limit L : the most that the size of those may be (default 1000)
--smoothing g : smooth the loss by g where it is not smooth; of the smooth losses the default is 1
-p epsilon : half the width of the epsilon-insensitive losses (default 0.1)
--huber delta : residual from which the Huber loss is linear (default 1)
--quantile a : the quantile that loss quantile aims at (default 0.5)
--slope a : how steep loss generalized-hinge is where decisions are wrong, above 1 (default 2)
--budget m : the duals of all examples sum up to m at most (of the hinge, only the m largest losses
             count), with -s 34 to 40, 42, newton and batch
-c cost : set the parameter C (default 1)
-e delta : stop when the duality gap is at most delta times the gap after the first pass
           (default 0.0009)
--gap-tol r : stop when gap <= r * max(1, |primal|); where it is given, -e has no effect
-t passes : stop after so many passes over the data (default 100000)
--time-limit s : stop after s seconds of solving
--option O : how far a visit of -s 32 goes, in the paper's terms: I (default), to the maximum; II,
             III, IV or V
--sampling name : permutation (default) of the examples for each pass of -s 32, or uniform draws
--averaging : return the average of the last passes of -s 32, of all steps of -s 41; or the better
              of it and the last step of -s 37 and 38, which then never restart
--line-search name : where -s 39 and 40 take their planes: ocas (default of 39), after a search on a
                     line; none (default of 40), at the minimum of the planes before
--route name : of -s 35 and 36: primal, steps in the weights; dual; or smoothed-dual, through ever
               less smoothed duals (default: what suits the problem)
--lipschitz name : of -s 34 to 36: adaptive (default), found by trial; fixed, by power iteration
--prox name : prox-function of the duals of -s 35 and 36: plain (default), or optimized by the data
--ratio r : step in the weights by that in the duals of -s 37 and 38 (default: balanced as it goes)
--storage name : what -s 37 and 38 keep twice: double-primal or double-dual (default: the smaller)
--accelerate : accelerate -s 30 where its plain form is slow
--inner pace : of the inner problems of -s 33, sdca and an accelerated -s 30: adaptive (default),
               theory (figure 2 of the paper), or a number of passes for each
--block name : block solver of -s 30: knapsack (default), walrus or shark
--batch size : examples in a step of -s 41 (default 1); of all of them if there are no more
-B bias : if bias >= 0, instance x becomes [x; bias]; if < 0, no bias term added (default -1)
-R : do not regularize the bias, with losses of one score, of -s {free_types}; must be
     used with -B 1
-wi weight : the parameter C of class i is weight*C (example: -w-1 0.5 -w2 3)
-v n : n-fold cross validation mode
-S seed : seed of the order of visits and of the folds of -v (default 0)
-m threads : threads of the solver (default 1) and of reading (default all processors)
--trace file : write a line of JSON for each pass: pass, seconds, primal, dual, gap, estimated
-q : quiet mode (no outputs)
-h, --help : show this text
--version : show the version
training_set_file is LIBSVM text, plain or .gz, .bz2, .xz or .zst; - is standard input
model_file : by default the name of training_set_file + .model, in the current folder"""

PREDICT = """\
Usage: predict [options] test_file model_file output_file
options:
-b probability_estimates : whether to output probability estimates, 0 or 1 (default 0);
                           for loss logistic or softmax only
-m threads : threads of predicting (default 1) and of reading (default all processors)
-q : quiet mode (no outputs)
-h, --help : show this text
--version : show the version
test_file is LIBSVM text, plain or .gz, .bz2, .xz or .zst; - is standard input"""
