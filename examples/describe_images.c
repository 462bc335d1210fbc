/* describe_images.c - from folders of images to covariance matrices, and how well they tell the
 * folders apart.
 *
 *   describe_images images covs.npz
 *
 * The folder `images` holds one folder of PNG, JPEG, TIFF or other images for each class. Every
 * image becomes the covariance of its features (position, colour, derivatives: 11 x 11); the set
 * is written for the command, and for each class it is counted how often the nearest other image
 * is of the same class. */
#include <stdio.h>
#include <stdlib.h>

#include <spdml-data.h>

/* right, total (classes each) <- how many samples have a nearest neighbour of their class. */
static spd_status count_neighbours(spd_context *ctx, const spd_data *data, size_t *right,
                                   size_t *total)
{
    int64_t *nearest = malloc(data->p * sizeof *nearest);
    double *d2 = malloc(data->p * sizeof *d2);
    spd_status status = nearest == NULL || d2 == NULL ? SPD_ENOMEM : SPD_OK;
    if (status >= 0)
        status = spd_nearest(ctx, SPD_METRIC_AIRM, SPD_SET(data->n, data->p, data->X), NULL, 1,
                             NULL, nearest, d2, NULL);
    for (size_t i = 0; status >= 0 && i < data->p; i++) {
        total[data->label[i]]++;
        right[data->label[i]] += data->label[nearest[i]] == data->label[i];
    }
    free(nearest);
    free(d2);
    return status;
}

static spd_status print_classes(spd_context *ctx, const spd_data *data)
{
    size_t *right = calloc(data->classes, sizeof *right);
    size_t *total = calloc(data->classes, sizeof *total);
    spd_status status = right == NULL || total == NULL ? SPD_ENOMEM : SPD_OK;
    if (status >= 0)
        status = count_neighbours(ctx, data, right, total);
    for (size_t c = 0; status >= 0 && c < data->classes; c++)
        printf("%-20s %3zu of %3zu\n", data->class_name[c], right[c], total[c]);
    free(right);
    free(total);
    return status;
}

static spd_status describe(spd_context *ctx, const char *folder, const char *output)
{
    spd_describe_options options;
    spd_data *data = NULL;
    spd_describe_defaults(SPD_DESCRIPTOR_REGION, &options, sizeof options);
    options.width = options.height = 100; /* all images to one size */
    spd_status status = spd_describe(ctx, SPD_DESCRIPTOR_REGION, 1, &folder, &options, &data, NULL);
    if (status >= 0)
        status = spd_data_save(ctx, data, output);
    if (status >= 0) {
        printf("%zu images -> %zu x %zu matrices in %s\n", data->p, data->n, data->n, output);
        if (data->classes > 1 && data->p > 1)
            status = print_classes(ctx, data);
    }
    spd_data_free(data);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: describe_images FOLDER OUTPUT.npz\n");
        return 2;
    }
    spd_context *ctx = spd_context_new();
    spd_status status = describe(ctx, argv[1], argv[2]);
    if (status < 0)
        fprintf(stderr, "describe_images: %s\n", spd_context_error(ctx)->message);
    spd_context_free(ctx);
    return status < 0;
}
