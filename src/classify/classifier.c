/* classifier.c - the table of methods. */
#include "classify/classifier.h"

const classifier *classifier_of(spd_classifier_kind kind)
{
    static const classifier *const all[SPD_CLASSIFIERS] = {
        [SPD_NN] = &classifier_nn,     [SPD_KNN] = &classifier_knn,
        [SPD_MDM] = &classifier_mdm,   [SPD_RSR] = &classifier_rsr,
        [SPD_CDL] = &classifier_cdl,   [SPD_CDL_LDA] = &classifier_cdl_lda,
        [SPD_PGA] = &classifier_pga,   [SPD_LLE] = &classifier_lle,
        [SPD_HLLE] = &classifier_hlle, [SPD_LAPLACIAN] = &classifier_laplacian,
        [SPD_KSVM] = &classifier_ksvm, [SPD_TS_LDA] = &classifier_ts_lda,
        [SPD_SRC] = &classifier_src,   [SPD_GSRC] = &classifier_gsrc,
    };
    return (unsigned)kind < SPD_CLASSIFIERS ? all[kind] : NULL;
}

void classifier_release(const classifier *kind, void *prepared, void *trained, void *met)
{
    if (met && kind->release_met)
        kind->release_met(met);
    if (trained && kind->release_trained)
        kind->release_trained(trained);
    if (prepared && kind->release_prepared)
        kind->release_prepared(prepared);
}
