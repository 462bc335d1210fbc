/* An outside program that uses libspdml-data: makes a data set, writes it to the file it is told,
 * reads it back and takes its mean. */
#include <stdio.h>

#include <spdml-data.h>

int main(int argc, char **argv)
{
    double mean[16 * 16];
    spd_data *made = NULL, *read = NULL;
    spd_synth_options options;
    spd_context *ctx = spd_context_new();
    if (argc != 2)
        return 2;
    spd_synth_defaults(SPD_SYNTH_SPD, &options, sizeof options);
    options.n = 16;
    options.samples = 3;
    spd_status status = spd_synth_data(ctx, &options, NULL, &made);
    if (status == SPD_OK)
        status = spd_data_save(ctx, made, argv[1]);
    if (status == SPD_OK)
        status = spd_data_load(ctx, argv[1], NULL, &read);
    if (status == SPD_OK)
        status = spd_mean(ctx, SPD_METRIC_LOG_EUCLIDEAN, SPD_SET(read->n, read->p, read->X), NULL,
                          mean, NULL);
    printf("%s %s\n", spd_status_text(status), spd_context_error(ctx)->message);
    spd_data_free(made);
    spd_data_free(read);
    spd_context_free(ctx);
    return status == SPD_OK ? 0 : 1;
}
