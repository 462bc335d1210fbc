/* page.h - report.html: an evaluation as a page with figures, and the numbers of its figures as csv
 * files beside it.
 *
 * page_prepare computes what the page shows beyond the results: spectra, and samples in two
 * dimensions, with work that is bounded whatever the size of the data. page_write
 * puts it down. The page holds no date, so that equal runs give equal pages up to measured
 * seconds. */
#ifndef SPD_CLI_REPORT_PAGE_H
#define SPD_CLI_REPORT_PAGE_H

#include "cli/results/results.h"
#include "cli/frame/session.h"
#include "cli/frame/words.h"
#include "cli/drawing/draw.h"

#define PAGE_PARTS 2 /* before the map, after it */

/* Quartiles of the logarithms (base ten) of eigenvalues by rank, largest first. */
typedef struct page_spectrum {
    size_t size;                    /* of the matrices; 0: there is none */
    double *lower, *median, *upper; /* size each */
    double least, largest;          /* eigenvalues over all drawn matrices */
    double condition;               /* the largest ratio within one */
} page_spectrum;

typedef struct page {
    const session *s;
    const results *e;

    /* samples of the first round that are drawn */
    size_t shown, available;
    size_t *index; /* shown, ascending */
    char *trains;  /* shown: 1 training, 0 test */
    int *colour;   /* classes: number of the colour, DRAW_GREY for the background */
    size_t coloured;

    /* the map of one method, learned from the first training part */
    const char *method;
    const spd_model *model; /* NULL: none has a learned map */

    size_t size[PAGE_PARTS];    /* n, m; 0: nothing to show */
    double *matrix[PAGE_PARTS]; /* shown x size x size */
    page_spectrum spectrum[PAGE_PARTS];

    spd_metric embed_metric;
    size_t placed;         /* the first so many of shown are in Y; 0: none */
    size_t *place;         /* placed: which of shown */
    double *Y[PAGE_PARTS]; /* placed x 2, or NULL */
    double explained[PAGE_PARTS];
    double *T[PAGE_PARTS];    /* the same by t-SNE, or NULL */
    const char *no_embedding; /* why there is none */

    /* placed x 2, or NULL: of test samples the distances to the nearest training sample of their
     * class and of any other; NaN for training samples */
    double *margin[PAGE_PARTS];

    const char *folder; /* where files go */
    words *files;       /* names of those with figures, as they are written */
    words *extras;      /* names of those with their numbers */
} page;

/* Prepares. Only Ctrl-C and failures of the machine end the command: a figure that cannot be made
 * is left out with a reason. */
void page_prepare(session *s, const results *e, page *p);

/* Writes report.html, each of its figures as svg and PDF, and of what was prepared
 * convergence.csv, spectrum.csv, embedding.csv, tsne.csv and margins.csv into a folder. */
void page_write(const page *p, const char *folder);

/* ---- parts of the page, each its own file ---------------------------------------------------- */

/* page_margins.c: what page_prepare calls. */
spd_status page_margins(page *p);

/* Sections. */
void page_summary(FILE *f, const page *p);    /* page_summary.c */
void page_results(FILE *f, const page *p);    /* page_results.c */
void page_rounds(FILE *f, const page *p);     /* page_results.c */
void page_parameters(FILE *f, const page *p); /* page_results.c */
void page_confusions(FILE *f, const page *p); /* page_classes.c */
void page_classes(FILE *f, const page *p);    /* page_classes.c */
void page_map(FILE *f, const page *p);        /* page_map.c */
void page_samples(FILE *f, const page *p);    /* page_samples.c */
void page_ellipses(FILE *f, const page *p);   /* page_ellipses.c */

/* page_summary.c: how the matrices were made, a part of page_parameters. */
void page_made(FILE *f, const page *p);

/* page_ellipses.c: the part whose matrices are ellipses, -1 when neither are. */
int page_ellipse_part(const page *p);

/* page_margins.c: the second figure of page_samples. */
void page_margin_figure(FILE *f, const page *p);

/* page_samples.c: the class of a placed sample; all of them as they are drawn, in those parts that
 * there are. */
int page_class(const page *p, size_t place);
clouds page_clouds(const page *p);

/* page.c: the figure in the page (unless f is NULL), and as svg and PDF beside it. */
void page_figure(FILE *f, const page *p, const figure *g);

/* page_prepare.c: copies of count placed matrices, those of the list or, without one, the first;
 * freed with cli_free. */
double *page_matrices(const page *p, int part, size_t count, const size_t *list);

/* What squared distances of these are to be multiplied by: those of real forms are twice as large
 * as those of the complex matrices. */
double page_share(const page *p);

/* "before the map", "after the map" */
const char *page_part_name(int part);

/* The same as a heading; where there is no map, "The samples". */
const char *page_part_heading(const page *p, int part);

#endif
